// SPDX-License-Identifier: Apache-2.0

// The graph-data repository in an archive: a tarball with any top-level folder, or the layers of an image.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "graphdata/load.h"
#include "oci/layers.h"

namespace fairway::sources {

/// Limits for one archive.
struct ArchiveLimits {
  std::size_t file_bytes = std::size_t{4} << 20;   ///< largest file of graph data
  std::size_t kept_bytes = std::size_t{64} << 20;  ///< bytes of all of them, with their names
  /// Bytes of the decompressor's output, per layer: a compression bomb ends here.
  std::uint64_t unpacked_bytes = std::uint64_t{8} << 30;
};

/// Reads a tar (plain, gzip or zstd), or several, each a layer over those before it.
///
/// The repository's root is the folder, at most four folders deep, that holds a `version` file and a
/// `channels` folder: "cincinnati-graph-data-master/", "var/lib/cincinnati-graph-data/", or the archive's own
/// root.
class GraphDataArchive {
 public:
  explicit GraphDataArchive(const ArchiveLimits& limits = {});
  ~GraphDataArchive();

  /// Takes the next bytes, in chunks of any size. Errors: `invalid` (not a tar, or corrupt), `too_large`.
  Result<void> push(std::string_view bytes);
  /// Ends this tar; further input belongs to the layer above it (whiteouts hide files of lower layers).
  Result<void> next_layer();
  /// Ends the last tar and finds the root; returns its files of graph data, by path relative to it. Errors:
  /// `invalid` if there is no root, more than one, or a file of graph data is a link; `too_large` (see
  /// graphdata::read_directory's limits).
  Result<graphdata::Files> finish();

 private:
  Result<void> merge();

  const ArchiveLimits limits_;
  std::unique_ptr<oci::TarReader> reader_;
  bool has_input_ = false;
  std::map<std::string, std::string> files_;  ///< files of the layers so far, by path in the archive
  std::map<std::string, std::string>
      unusable_;  ///< reasons why files of the layers so far could not be read, by path
};

}  // namespace fairway::sources
