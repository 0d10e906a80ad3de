#include "sources/fetch/internal/release_image.h"

#include <utility>

#include "graph/release.h"
#include "oci/layers.h"

namespace fairway::sources {

namespace {

constexpr std::size_t max_config_bytes = 4 << 20;
constexpr std::size_t max_metadata_bytes = 1 << 20;
constexpr std::uint64_t max_layer_bytes = std::uint64_t{8} << 30;
constexpr std::chrono::hours look_again{1};

/// What one layer says about the metadata.
struct LayerFindings {
  std::string metadata;
  bool found = false;
  bool hidden = false;  ///< what the layers below say does not count
};

/// Reads a layer to its end, so that its digest is checked whatever stands in it: an archive that looks
/// broken counts as broken only when the registry sent the right bytes.
Result<LayerFindings> read_layer(oci::Registry& registry, const oci::Reference& repository,
                                 const oci::Descriptor& layer, const oci::Limits& limits) {
  oci::TarReader reader({.wanted = [](std::string_view path) { return path == release_metadata_path; },
                         .max_file_bytes = max_metadata_bytes,
                         .max_unpacked_bytes = max_layer_bytes,
                         .stop_at_first = true});
  Result<void> unpacked;
  const auto sink = [&](std::string_view piece) -> Result<void> {
    if (unpacked) {
      if (auto pushed = reader.push(piece); !pushed) unpacked = fail(pushed.error());
    }
    return {};
  };
  if (auto streamed = registry.stream_blob(repository, layer, sink, limits); !streamed)
    return fail(streamed.error());
  if (unpacked) unpacked = reader.finish();
  if (!unpacked) return fail(unpacked.error().within("reading the layer " + layer.digest));
  LayerFindings findings{.hidden = reader.hides(release_metadata_path)};
  if (const auto file = reader.files().find(std::string(release_metadata_path));
      file != reader.files().end()) {
    findings.found = true;
    findings.metadata = file->second;
  }
  return findings;
}

Result<CachedImage> read_image(oci::Registry& registry, const oci::Reference& reference,
                               const oci::Limits& limits) {
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
    auto findings = read_layer(registry, reference, *layer, limits);
    if (!findings) return fail(findings.error());
    if (findings->found) {
      const auto document = json::parse(findings->metadata);
      if (!document) return fail(document.error().within("reading " + std::string(release_metadata_path)));
      const auto release = graph::read_release_metadata(*document, arch, reference.to_string());
      if (!release) return fail(release.error().within("reading " + std::string(release_metadata_path)));
      return CachedImage{.arch = arch, .metadata = json::to_text(*document), .fault = {}, .retry_at = {}};
    }
    if (findings->hidden) break;
  }
  return fail(ErrorCode::invalid, "the image is no release: none of its layers has the file " +
                                      std::string(release_metadata_path));
}

}  // namespace

Result<CachedImage> read_release_image(oci::Registry& registry, const oci::Reference& reference,
                                       const oci::Limits& limits, WallTime now) {
  auto image = read_image(registry, reference, limits);
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
      broken.retry_at = now + look_again;
      return broken;
    default:
      return image;
  }
}

}  // namespace fairway::sources
