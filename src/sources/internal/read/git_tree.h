// SPDX-License-Identifier: Apache-2.0

// The files of a Git tree that are graph data. No I/O: objects come from an interface.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "graphdata/load.h"

namespace fairway::sources {

/// The SHA-1 of an object, as bytes.
using GitId = std::array<std::uint8_t, 20>;

/// The trees and blobs of a repository. An Error says why an object cannot be read, without its name: the
/// caller adds the path.
class GitObjects {
 public:
  virtual ~GitObjects() = default;
  /// Returns the size of an object's content, in bytes.
  virtual Result<std::size_t> size(const GitId& id) = 0;
  /// Returns the content of a tree (entries as Git stores them) or of a blob.
  virtual Result<std::string> tree(const GitId& id) = 0;
  virtual Result<std::string> blob(const GitId& id) = 0;
};

/// Limits of reading a tree: those of graphdata::read_directory, so that the same data is accepted or refused
/// from any source.
struct GitTreeLimits {
  std::size_t file_bytes = std::size_t{1} << 20;    ///< largest YAML file
  std::size_t total_bytes = std::size_t{64} << 20;  ///< bytes of all files
  std::size_t files = 50'000;
  /// Bytes of tree objects, each counted as often as it is referenced: few of them can contain any number of
  /// folders.
  std::size_t tree_bytes = std::size_t{16} << 20;
  std::size_t path_bytes = 1024;  ///< longest path
  int depth = 16;
  /// True for a tree that is only compared with: a link, a submodule or a file that is too large is included
  /// without text instead of being refused.
  bool lenient = false;
};

/// Reads the files of graph data (graphdata::counts) below the tree `root`, by path. Errors: `too_large`;
/// `invalid` if a tree object is corrupt, or a symbolic link or a submodule is in place of graph data; those
/// of `objects`. They name the path.
Result<graphdata::Files> read_git_files(GitObjects& objects, const GitId& root,
                                        const GitTreeLimits& limits = {});

}  // namespace fairway::sources
