// SPDX-License-Identifier: Apache-2.0

// Whole release images on disk, each a file under the name of its digest.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "release/contents.h"

namespace fairway::release {

/// Keeps the newest images on disk, each with the digest of its own file's contents. A missing or damaged
/// file counts as absent, and write errors are logged. Not safe from several threads at once.
class ImageStore {
 public:
  /// Uses this folder; an empty path: nothing is kept.
  explicit ImageStore(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Returns the image of a digest ("sha256:<hex>").
  std::optional<Contents> find(const std::string& digest) const;
  /// Writes an image, and keeps the eight newest of the others.
  void put(const std::string& digest, const Contents& image) const;

  /// Returns the fingerprint of the keys by which a signature of the image was verified; empty: by none.
  std::string verified_by(const std::string& digest) const;
  /// Records the fingerprint of the keys by which a signature of the image was verified. Errors: the disk
  /// failed.
  Result<void> put_verified(const std::string& digest, const std::string& keys) const;
  /// Returns true if there is a folder.
  bool is_kept() const { return !folder_.empty(); }

 private:
  std::filesystem::path path(const std::string& digest, std::string_view suffix) const;
  void remove_old(const std::filesystem::path& newest) const;

  std::filesystem::path folder_;
};

}  // namespace fairway::release
