#include "payload/internal/pull_image.h"

#include <utility>

#include "payload/internal/manifest_layers.h"

namespace fairway::payload {

namespace {

constexpr std::size_t max_config_bytes = std::size_t{4} << 20;
constexpr std::size_t max_layers = 500;

}  // namespace

Result<ImageFiles> pull_image(oci::Registry& registry, const oci::Reference& reference,
                              const Limits& limits) {
  auto manifest = registry.manifest(reference, limits);
  if (!manifest) return fail(manifest.error());
  ImageFiles image;
  if (manifest->is_index()) {
    const auto* entry = oci::representative(*manifest);
    if (entry == nullptr) return fail(ErrorCode::invalid, "the index lists no image");
    if (oci::architectures(*manifest).size() > 1) image.arch = "multi";
    auto of_platform = registry.manifest(reference.with_digest(entry->digest), limits);
    if (!of_platform) return fail(of_platform.error());
    if (of_platform->is_index())
      return fail(ErrorCode::unsupported, "the index lists another index, not an image");
    manifest = std::move(of_platform);
  }
  if (image.arch.empty()) {
    const auto config = registry.blob(reference, manifest->config, max_config_bytes, limits);
    if (!config) return fail(config.error());
    const auto platform = oci::parse_config(*config);
    if (!platform) return fail(platform.error());
    image.arch = platform->architecture;
  }
  if (manifest->layers.empty() || manifest->layers.size() > max_layers) {
    return fail(ErrorCode::invalid,
                "the image has " + std::to_string(manifest->layers.size()) + " layers; no release has");
  }
  ManifestLayers layers;
  for (const oci::Descriptor& layer : manifest->layers) {
    const auto sink = [&layers](std::string_view piece) -> Result<void> {
      layers.push(piece);
      return {};
    };
    if (auto streamed = registry.stream_blob(reference, layer, sink, limits); !streamed)
      return fail(streamed.error());
    if (auto ended = layers.end_layer(); !ended)
      return fail(ended.error().within("reading the layer " + layer.digest));
  }
  image.files = layers.files();
  return image;
}

}  // namespace fairway::payload
