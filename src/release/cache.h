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

/// What an image turned out to be.
struct CachedImage {
  std::string arch;      ///< of a release
  std::string metadata;  ///< of a release: its cincinnati-metadata-v0 document, compact; "" for broken ones
  std::string fault;     ///< why it is no release
  std::optional<WallTime> retry_at;  ///< a fault that may pass: look again then
  bool is_release() const { return fault.empty(); }
};

/// The places of a cache on disk.
struct CachePlace {
  std::filesystem::path index;   ///< a file; empty: what would be in it is known in memory alone
  std::filesystem::path images;  ///< a folder of whole images; empty: none are kept
};

/// An index, which is an append-only file of checked records, one a line: a process may be killed at any
/// point, and what was put before is there again; a torn or damaged record is passed over. One process has an
/// index at a time. Or whole images, each a file, for who needs more of them than their metadata; several
/// processes may have their folder, and which signatures were verified stands beside the images there. Safe
/// from all threads.
class Cache {
 public:
  /// Errors: the index or its folder cannot be read or made.
  static Result<std::unique_ptr<Cache>> open(const CachePlace& place);
  static std::unique_ptr<Cache> in_memory();
  ~Cache();
  Cache(const Cache&) = delete;
  Cache& operator=(const Cache&) = delete;

  std::optional<CachedImage> image(const std::string& digest) const;
  /// The digest that a tag had when it was last read to the end.
  std::optional<std::string> tag(const std::string& tag) const;
  /// Returns true if a signature of the image was verified by the key set of this fingerprint.
  bool verified(const std::string& digest, const std::string& keys) const;

  /// The whole image, if it is kept as it was put.
  std::optional<Contents> contents(const std::string& digest) const;

  /// What is put is remembered at once, and on disk before the call returns. An Error means that the disk
  /// failed.
  Result<void> put_image(const std::string& digest, CachedImage image);
  Result<void> put_tag(const std::string& tag, const std::string& digest);
  Result<void> put_verified(const std::string& digest, const std::string& keys);

  /// Keeps a whole image, and of the others the eight newest; what the disk refuses is logged.
  void put_contents(const std::string& digest, const Contents& image);

  /// Forgets tags and images that are not there any more, and writes the file anew when most of it is dead.
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
  std::unique_ptr<ImageStore> store_;  ///< of whole images
  mutable std::mutex mutex_;
  int descriptor_ = -1;
  bool torn_ = false;      ///< the file does not end with a whole line
  std::size_t lines_ = 0;  ///< in the file, dead ones included
  std::map<std::string, CachedImage> images_;
  std::map<std::string, std::string> tags_;
  std::map<std::string, std::string> verified_;  ///< digest -> fingerprint of the keys
};

}  // namespace fairway::release
