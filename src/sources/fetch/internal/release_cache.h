// What is known about the images of one repository, on disk: read once, kept across restarts and crashes.
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

namespace fairway::sources {

/// What an image turned out to be.
struct CachedImage {
  std::string arch;      ///< of a release
  std::string metadata;  ///< of a release: its cincinnati-metadata-v0 document, compact; "" for broken ones
  std::string fault;     ///< why it is no release
  std::optional<WallTime> retry_at;  ///< a fault that may pass: look again then
  bool is_release() const { return fault.empty(); }
};

/// An append-only file of checked records, one a line: a process may be killed at any point, and what was put
/// before is there again; a torn or damaged record is passed over. Safe from all threads.
class ReleaseCache {
 public:
  /// `file` "" keeps everything in memory only. Errors: the file or its folder cannot be read or made.
  static Result<std::unique_ptr<ReleaseCache>> open(const std::filesystem::path& file);
  static std::unique_ptr<ReleaseCache> in_memory();
  ~ReleaseCache();
  ReleaseCache(const ReleaseCache&) = delete;
  ReleaseCache& operator=(const ReleaseCache&) = delete;

  std::optional<CachedImage> image(const std::string& digest) const;
  /// The digest that a tag had when it was last read to the end.
  std::optional<std::string> tag(const std::string& tag) const;
  /// Whether a signature of the image was verified by the key set of this fingerprint.
  bool verified(const std::string& digest, const std::string& keys) const;

  /// What is put is remembered at once, and on disk before the call returns. An Error means that the disk
  /// failed.
  Result<void> put_image(const std::string& digest, CachedImage image);
  Result<void> put_tag(const std::string& tag, const std::string& digest);
  Result<void> put_verified(const std::string& digest, const std::string& keys);

  /// Forgets tags and images that are not there any more, and writes the file anew when most of it is dead.
  Result<void> retain(const std::set<std::string>& tags, const std::set<std::string>& digests);

 private:
  explicit ReleaseCache(std::filesystem::path file) : file_(std::move(file)) {}
  void read_record(std::string_view line);
  std::string all_records() const;
  Result<void> append(const std::string& record);
  Result<void> open_for_append();
  Result<void> rewrite();

  std::filesystem::path file_;
  mutable std::mutex mutex_;
  int descriptor_ = -1;
  bool torn_ = false;      ///< the file does not end with a whole line
  std::size_t lines_ = 0;  ///< in the file, dead ones included
  std::map<std::string, CachedImage> images_;
  std::map<std::string, std::string> tags_;
  std::map<std::string, std::string> verified_;  ///< digest -> fingerprint of the keys
};

}  // namespace fairway::sources
