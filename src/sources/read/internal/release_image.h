// The release metadata of a release image, from the bytes of its layers. No I/O: layers are fetched
// elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "graph/release.h"
#include "oci/layers.h"

namespace fairway::sources {

/// The path of the release metadata in an image.
inline constexpr std::string_view release_metadata_path = "release-manifests/release-metadata";

/// Limits for one layer.
struct LayerLimits {
  std::size_t metadata_bytes = std::size_t{1} << 20;
  std::uint64_t unpacked_bytes = std::uint64_t{8} << 30;  ///< a compression bomb ends here
};

/// One layer (tar, plain, gzip or zstd), read from pushed chunks.
class ReleaseLayer {
 public:
  struct Findings {
    std::optional<std::string> metadata;  ///< the text of release_metadata_path, if this layer has it
    bool hidden = false;                  ///< this layer removes it, so that lower layers are ignored
  };

  explicit ReleaseLayer(const LayerLimits& limits = {});
  /// The next bytes. Errors of the archive are returned by `finish`: a layer is always read to its end, so
  /// that its digest is checked first, and it counts as corrupt only if the digest was right.
  void push(std::string_view piece);
  /// Ends the layer. Errors: `invalid` (not a tar, corrupt, the metadata is a link), `too_large`.
  Result<Findings> finish();

 private:
  oci::TarReader reader_;
  Result<void> unpacked_;
};

/// A release image's metadata, checked.
struct ReleaseMetadata {
  graph::Release release;  ///< without payload, unless the document names one
  std::string document;    ///< the document, as compact JSON, to be cached
};

/// Parses the text of release_metadata_path; see graph::read_release_metadata for errors. `source` is the
/// image's pull spec, for messages.
Result<ReleaseMetadata> read_release_metadata(std::string_view text, std::string_view arch,
                                              std::string_view source);

}  // namespace fairway::sources
