// SPDX-License-Identifier: Apache-2.0

#include "oci/image.h"

#include <utility>

namespace fairway::oci {

namespace {

constexpr std::size_t max_config_bytes = std::size_t{4} << 20;

}  // namespace

Result<Image> read_image(Registry& registry, const Reference& reference, const Limits& limits) {
  auto manifest = registry.manifest(reference, limits);
  if (!manifest) return fail(manifest.error());
  Image image;
  if (manifest->is_index()) {
    const Descriptor* const entry = representative(*manifest);
    if (entry == nullptr) return fail(ErrorCode::invalid, "the index lists no image");
    image.is_multi = architectures(*manifest).size() > 1;
    auto listed = registry.manifest(reference.with_digest(entry->digest), limits);
    if (!listed) return fail(listed.error());
    if (listed->is_index()) {
      return fail(ErrorCode::unsupported, "the index lists another index, not an image");
    }
    manifest = std::move(listed);
  }
  const std::size_t layers = manifest->layers.size();
  if (layers == 0) return fail(ErrorCode::invalid, "the image has no layers");
  if (layers > max_layers) {
    return fail(ErrorCode::invalid, "the image has " + std::to_string(layers) + " layers; the limit is " +
                                        std::to_string(max_layers));
  }
  image.reference = reference.with_digest(manifest->digest);
  image.manifest = *std::move(manifest);
  return image;
}

Result<std::string> read_architecture(Registry& registry, const Image& image, const Limits& limits) {
  if (image.is_multi) return "multi";
  const auto config = registry.blob(image.reference, image.manifest.config, max_config_bytes, limits);
  if (!config) return fail(config.error());
  auto platform = parse_config(*config);
  if (!platform) return fail(platform.error());
  return std::move(platform->architecture);
}

}  // namespace fairway::oci
