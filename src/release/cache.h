// SPDX-License-Identifier: Apache-2.0

// Release images that were read, on disk: each is read once, and known across restarts and crashes.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "release/contents.h"

namespace fairway::release {

class ImageStore;

/// The known facts about an image.
struct CachedImage {
  std::string arch;      ///< architecture of a release
  std::string metadata;  ///< compact cincinnati-metadata-v0 document of a release; "" for broken ones
  std::string fault;     ///< reason why it is no release
  std::optional<WallTime> retry_at;  ///< time to read it again, for a fault that may pass
  bool is_release() const { return fault.empty(); }
};

/// The places of a cache on disk.
struct CachePlace {
  std::filesystem::path index;   ///< a file; empty: its content is kept in memory only
  std::filesystem::path images;  ///< a folder of whole images; empty: none are kept
};

/// A cache of release images: an index of their metadata, whole images, or both.
///
/// The index is an append-only file of checked records, one a line. A process may be killed at any point, and
/// records written before are kept; a torn or damaged record is skipped. Only one process may have an index
/// open at a time. Whole images are files of their own, for callers that need more of them than their
/// metadata. Several processes may share their folder, which also records the verified signatures. Safe from
/// all threads.
class Cache {
 public:
  /// Opens a cache. Errors: the index or its folder cannot be read or made.
  static Result<std::unique_ptr<Cache>> open(const CachePlace& place);
  static std::unique_ptr<Cache> in_memory();
  ~Cache();
  Cache(const Cache&) = delete;
  Cache& operator=(const Cache&) = delete;

  std::optional<CachedImage> image(const std::string& digest) const;
  /// Returns the digest that a tag had when its image was last read completely.
  std::optional<std::string> tag(const std::string& tag) const;
  /// Returns true if a signature of the image was verified by the key set of this fingerprint.
  bool verified(const std::string& digest, const std::string& keys) const;

  /// Returns the whole image, if it is cached and undamaged.
  std::optional<Contents> contents(const std::string& digest) const;

  /// Records an image, tag or verified signature, in memory at once, and on disk before the call returns. An
  /// Error means that the disk failed.
  Result<void> put_image(const std::string& digest, CachedImage image);
  Result<void> put_tag(const std::string& tag, const std::string& digest);
  Result<void> put_verified(const std::string& digest, const std::string& keys);

  /// Caches a whole image, and keeps the eight newest of the others; errors of the disk are logged.
  void put_contents(const std::string& digest, const Contents& image);

  /// Forgets all other tags and images, and rewrites the file when most of it is dead.
  Result<void> retain(const std::set<std::string>& tags, const std::set<std::string>& digests);

 private:
  explicit Cache(CachePlace place);
  Result<void> read_index();
  void read_record(std::string_view line);
  std::string all_records() const;
  Result<void> append(const std::string& record);
  Result<void> open_for_append();
  Result<void> rewrite();

  std::filesystem::path file_;         ///< the index
  std::unique_ptr<ImageStore> store_;  ///< store of whole images
  mutable std::mutex mutex_;
  int descriptor_ = -1;
  bool torn_ = false;      ///< true if the file does not end with a whole line
  std::size_t lines_ = 0;  ///< number of lines in the file, dead ones included
  std::map<std::string, CachedImage> images_;
  std::map<std::string, std::string> tags_;
  std::map<std::string, std::string> verified_;  ///< digest -> fingerprint of the keys
};

}  // namespace fairway::release
