// SPDX-License-Identifier: Apache-2.0

#include "sources/internal/fetch/release_image.h"

#include <chrono>
#include <utility>

#include "release/metadata.h"
#include "release/pull.h"

namespace fairway::sources {

namespace {

constexpr std::chrono::hours retry_interval{1};

Result<release::CachedImage> fetch_image(oci::Registry& registry, const oci::Reference& reference,
                                         const Limits& limits) {
  const auto image = release::pull(registry, reference, release::Part::metadata, limits);
  if (!image) return fail(image.error());
  auto metadata = release::read_metadata(*image, reference.to_string());
  if (!metadata) return fail(metadata.error());
  return release::CachedImage{
      .arch = image->arch, .metadata = std::move(metadata->document), .fault = {}, .retry_at = {}};
}

}  // namespace

Result<release::CachedImage> fetch_release_image(oci::Registry& registry, const oci::Reference& reference,
                                                 const Limits& limits, WallTime now) {
  auto image = fetch_image(registry, reference, limits);
  if (image) return image;
  release::CachedImage broken;
  broken.fault = image.error().message;
  switch (image.error().code) {
    case ErrorCode::invalid:
    case ErrorCode::unsupported:
    case ErrorCode::too_large:
      return broken;
    case ErrorCode::not_found:
    case ErrorCode::conflict:
      broken.retry_at = now + retry_interval;
      return broken;
    default:
      return image;
  }
}

}  // namespace fairway::sources
