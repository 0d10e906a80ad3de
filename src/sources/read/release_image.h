// What a release image says of itself, from the bytes of its layers. Pure: fetching the layers is not done
// here.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "graph/release.h"
#include "oci/layers.h"

namespace fairway::sources {

/// Where a release image describes itself.
inline constexpr std::string_view release_metadata_path = "release-manifests/release-metadata";

/// One layer (tar, plain, gzip or zstd), read from pieces that are pushed in. Limits: 1 MiB for the metadata,
/// 8 GiB for the unpacked layer.
class ReleaseLayer {
 public:
  struct Findings {
    std::optional<std::string> metadata;  ///< the text of release_metadata_path, if this layer has it
    bool hidden = false;                  ///< this layer removes it: what the layers below say does not count
  };

  ReleaseLayer();
  /// The next bytes. What is wrong with the archive is said by `finish`: a layer is read to its end in any
  /// case, so that its digest is checked first, and it counts as broken only where the right bytes came.
  void push(std::string_view piece);
  /// Ends the layer. Errors: `invalid` (no tar, a broken one, the metadata is a link), `too_large`.
  Result<Findings> finish();

 private:
  oci::TarReader reader_;
  Result<void> unpacked_;
};

/// A release image's metadata, checked.
struct ReleaseMetadata {
  graph::Release release;  ///< without payload, unless the document names one
  std::string document;    ///< the document itself, compact: what to keep of the image
};

/// Reads the text of release_metadata_path; see graph::read_release_metadata for what is an error. `source`
/// is the image's pull spec, for messages.
Result<ReleaseMetadata> read_release_metadata(std::string_view text, std::string_view arch,
                                              std::string_view source);

}  // namespace fairway::sources
