// The folder release-manifests of an image, from the bytes of its layers. No I/O: layers are fetched
// elsewhere, and nothing is written where a layer says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "oci/layers.h"
#include "payload/manifest.h"

namespace fairway::payload {

/// What a release image may hold.
struct ManifestLimits {
  std::size_t file_bytes = std::size_t{8} << 20;
  std::size_t all_bytes = std::size_t{128} << 20;         ///< of all files, of all layers
  std::uint64_t unpacked_bytes = std::uint64_t{8} << 30;  ///< of one layer
};

/// Keeps the manifest files, the metadata and the image references that stand in the folder itself; folders
/// in it are passed over. Layers are given from the bottom to the top: a file of an upper one, or its
/// whiteout, is what counts (OCI image-spec, layer.md).
class ManifestLayers {
 public:
  explicit ManifestLayers(const ManifestLimits& limits = {}) : limits_(limits) {}

  /// The next bytes of the layer (tar, plain, gzip or zstd). Faults of the archive are told by `end_layer`:
  /// the layer is always read to its end, so that its digest is checked first.
  void push(std::string_view piece);
  /// Errors: `invalid` (not a tar, a corrupt or truncated one, ".." in a path, a link or a device where a
  /// file is wanted, a release-manifests that is no folder), `too_large`.
  Result<void> end_layer();

  const Files& files() const { return files_; }

 private:
  void begin_layer();

  ManifestLimits limits_;
  std::unique_ptr<oci::TarReader> reader_;  ///< of the layer; null between two
  Result<void> unpacked_;
  Files files_;
  std::size_t bytes_ = 0;
};

}  // namespace fairway::payload
