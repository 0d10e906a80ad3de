// Release images that were read, on disk by digest.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "payload/manifest.h"

namespace fairway::payload {

/// What is read of an image.
struct ImageFiles {
  std::string arch;  ///< "amd64"; "multi" of an index of several
  Files files;
};

/// A file an image, under the digest's name, with the digest of its own contents. A cache in the way of
/// nobody: what is not there, or not as it was written, is absent, and what cannot be written is logged. Not
/// for several threads at once.
class ReleaseCache {
 public:
  /// In this folder; an empty path: nothing is kept.
  explicit ReleaseCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// The image of a digest ("sha256:<hex>").
  std::optional<ImageFiles> find(const std::string& digest) const;
  /// Keeps an image, and of the others the eight newest.
  void put(const std::string& digest, const ImageFiles& image) const;
  /// The keys (`KeyRing::fingerprint`) that a digest was last verified with; "" for none.
  std::string verified_with(const std::string& digest) const;
  void put_verified(const std::string& digest, const std::string& fingerprint) const;

 private:
  std::filesystem::path path(const std::string& digest, std::string_view suffix) const;
  void write(const std::filesystem::path& path, std::string_view bytes) const;
  void remove_old(const std::filesystem::path& newest) const;

  std::filesystem::path folder_;
};

}  // namespace fairway::payload
