#include "sources/fetch/internal/release_image.h"

#include <utility>

#include "sources/read/internal/release_image.h"

namespace fairway::sources {

namespace {

constexpr std::size_t max_config_bytes = 4 << 20;
constexpr std::chrono::hours retry_interval{1};

/// Reads a layer to its end, so that its digest is checked whatever stands in it.
Result<ReleaseLayer::Findings> fetch_layer(oci::Registry& registry, const oci::Reference& repository,
                                           const oci::Descriptor& descriptor, const Limits& limits) {
  ReleaseLayer layer;
  const auto sink = [&layer](std::string_view piece) -> Result<void> {
    layer.push(piece);
    return {};
  };
  if (auto streamed = registry.stream_blob(repository, descriptor, sink, limits); !streamed)
    return fail(streamed.error());
  auto findings = layer.finish();
  if (!findings) return fail(findings.error().within("reading the layer " + descriptor.digest));
  return findings;
}

Result<CachedImage> fetch_image(oci::Registry& registry, const oci::Reference& reference,
                                const Limits& limits) {
  auto manifest = registry.manifest(reference, limits);
  if (!manifest) return fail(manifest.error());
  std::string arch;
  if (manifest->is_index()) {
    const auto* entry = oci::representative(*manifest);
    if (entry == nullptr) return fail(ErrorCode::invalid, "the index lists no image");
    if (oci::architectures(*manifest).size() > 1) arch = "multi";
    auto image = registry.manifest(reference.with_digest(entry->digest), limits);
    if (!image) return fail(image.error());
    if (image->is_index()) return fail(ErrorCode::unsupported, "the index lists another index, not an image");
    manifest = std::move(image);
  }
  if (arch.empty()) {
    const auto config = registry.blob(reference, manifest->config, max_config_bytes, limits);
    if (!config) return fail(config.error());
    const auto platform = oci::parse_config(*config);
    if (!platform) return fail(platform.error());
    arch = platform->architecture;
  }
  for (auto layer = manifest->layers.rbegin(); layer != manifest->layers.rend(); ++layer) {
    auto findings = fetch_layer(registry, reference, *layer, limits);
    if (!findings) return fail(findings.error());
    if (findings->metadata) {
      auto read = read_release_metadata(*findings->metadata, arch, reference.to_string());
      if (!read) return fail(read.error().within("reading " + std::string(release_metadata_path)));
      return CachedImage{.arch = arch, .metadata = std::move(read->document), .fault = {}, .retry_at = {}};
    }
    if (findings->hidden) break;
  }
  return fail(ErrorCode::invalid, "the image is no release: none of its layers has the file " +
                                      std::string(release_metadata_path));
}

}  // namespace

Result<CachedImage> fetch_release_image(oci::Registry& registry, const oci::Reference& reference,
                                        const Limits& limits, WallTime now) {
  auto image = fetch_image(registry, reference, limits);
  if (image) return image;
  CachedImage broken;
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
