// The files of a Git tree that are graph data. Pure: the objects come from whoever has them.
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

/// The trees and blobs of a repository. An Error says why an object cannot be had, without naming it: who
/// asks knows its path.
class GitObjects {
 public:
  virtual ~GitObjects() = default;
  /// How many bytes an object's content has.
  virtual Result<std::size_t> size(const GitId& id) = 0;
  /// The content of a tree (entries as Git stores them) or of a blob.
  virtual Result<std::string> tree(const GitId& id) = 0;
  virtual Result<std::string> blob(const GitId& id) = 0;
};

/// What reading a tree may take: as graphdata::read_directory has it, so that the same data is taken or
/// refused however it comes.
struct GitTreeLimits {
  std::size_t file_bytes = std::size_t{1} << 20;    ///< of a YAML file
  std::size_t total_bytes = std::size_t{64} << 20;  ///< of all files
  std::size_t files = 50'000;
  /// Of tree objects, each counted as often as it stands somewhere: few of them can hold any number of
  /// folders.
  std::size_t tree_bytes = std::size_t{64} << 20;
  int depth = 16;
};

/// The files below the tree `root` that count (graphdata::counts), by path. Errors: `too_large`; `invalid`
/// where a tree object is broken, or where a symbolic link or a submodule stands for something that counts;
/// those of `objects`. They name the path.
Result<graphdata::Files> read_git_files(GitObjects& objects, const GitId& root,
                                        const GitTreeLimits& limits = {});

}  // namespace fairway::sources
