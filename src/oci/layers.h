// SPDX-License-Identifier: Apache-2.0

// Extracts files from image layers (tar, gzip or zstd) as a stream, without holding a layer in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace fairway::oci {

/// Paths that a layer removes from those below it (OCI image-spec, layer.md). False: the path and all below
/// it (".wh.NAME"). True: all below the folder, but not the folder itself (".wh..wh..opq"; "" is the root).
using Whiteouts = std::map<std::string, bool>;

/// Returns true if whiteouts remove `path` from the layers below.
bool hides(const Whiteouts& whiteouts, std::string_view path);

/// Reads a tar (plain, gzip or zstd) from pushed chunks, and keeps the wanted files.
class TarReader {
 public:
  struct Options {
    /// Returns whether to keep an entry, by cleaned path ("release-manifests/release-metadata", no leading
    /// "./" or "/"). Called from another thread, but only during calls of this reader's functions.
    std::function<bool(std::string_view path)> wanted;
    std::size_t max_file_bytes = 4 << 20;   ///< most bytes of one kept file
    std::size_t max_kept_bytes = 64 << 20;  ///< most bytes of all kept files and the names of whiteouts
    /// Most bytes of the whole decompressed output, against compression bombs.
    std::uint64_t max_unpacked_bytes = std::uint64_t{16} << 30;
    /// Most unpacked bytes for each byte of input, once 256 MiB are unpacked: against bombs, and to bound the
    /// time between two pieces.
    std::uint64_t max_ratio = 500;
    std::uint64_t max_entries = 2'000'000;  ///< most entries of any kind
    std::size_t max_path_bytes = 4096;      ///< longest path of a wanted entry or a whiteout
    bool stop_at_first = false;             ///< stop after the first wanted file
    /// Wanted entries that cannot be kept (links, devices, too large, twice in it) are recorded in `unusable`
    /// instead of being errors.
    bool record_unusable = false;
  };
  explicit TarReader(Options options);
  ~TarReader();
  TarReader(const TarReader&) = delete;
  TarReader& operator=(const TarReader&) = delete;

  /// Feeds bytes. Returns true if more are needed, false if done (`stop_at_first`; further input is ignored).
  /// Errors: `invalid` (not a tar, a corrupt one, an entry with ".." in its path, a wanted entry that is a
  /// link), `too_large` (a limit was exceeded). After an error every call returns that error.
  Result<bool> push(std::string_view piece);
  /// Ends the input; an error if the archive is truncated.
  Result<void> finish();

  /// Returns the kept files by path.
  const std::map<std::string, std::string>& files() const;
  const Whiteouts& removed() const;
  /// Returns true if this layer hides `path` of a layer below.
  bool hides(std::string_view path) const { return oci::hides(removed(), path); }
  /// Returns the wanted paths that could not be kept, with the reason of each, if `record_unusable` is set.
  const std::map<std::string, std::string>& unusable() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace fairway::oci
