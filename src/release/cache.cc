// SPDX-License-Identifier: Apache-2.0

#include "release/cache.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/file.h"
#include "base/json.h"
#include "base/temporary_files.h"
#include "base/text.h"
#include "release/internal/image_store.h"

namespace fairway::release {

namespace {

/// The first line of the index. A file of another format is discarded and started anew.
constexpr std::string_view header = "fairway-releases 1\n";
constexpr std::size_t checksum_digits = 16;
constexpr std::size_t max_dead_lines = 1000;

/// Returns the record "<16 hex digits> <JSON>\n"; a line whose checksum does not match was torn by a crash,
/// or damaged.
std::string record_of(const json::Object& object) {
  const auto text = json::to_text(object);
  return sha256_hex(text).substr(0, checksum_digits) + " " + text + "\n";
}

std::string record_of(const std::string& digest, const CachedImage& image) {
  json::Object object{{"image", digest}};
  if (image.is_release()) {
    object["arch"] = image.arch;
    object["metadata"] = image.metadata;
  } else {
    object["fault"] = image.fault;
    if (image.retry_at) object["retry"] = format_time(*image.retry_at);
  }
  return record_of(object);
}

std::string tag_record(const std::string& tag, const std::string& digest) {
  return record_of(json::Object{{"tag", tag}, {"digest", digest}});
}

std::string verified_record(const std::string& digest, const std::string& keys) {
  return record_of(json::Object{{"verified", digest}, {"keys", keys}});
}

std::string text_of(const json::Value& object, std::string_view key) {
  return std::string(json::find_string(object, key).value_or(""));
}

}  // namespace

Cache::Cache(CachePlace place)
    : file_(std::move(place.index)), store_(std::make_unique<ImageStore>(std::move(place.images))) {}

Cache::~Cache() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<std::unique_ptr<Cache>> Cache::open(const CachePlace& place) {
  std::unique_ptr<Cache> cache(new Cache(place));
  if (!place.index.empty()) {
    if (auto read = cache->read_index(); !read) return fail(read.error());
  }
  return cache;
}

std::unique_ptr<Cache> Cache::in_memory() {
  return std::unique_ptr<Cache>(new Cache({}));
}

Result<void> Cache::read_index() {
  std::error_code error;
  std::filesystem::create_directories(file_.parent_path(), error);
  if (error) {
    return fail(ErrorCode::unavailable,
                "making the folder of the release cache " + file_.string() + ": " + error.message());
  }
  remove_temporary_files(file_);
  const auto text = read_file(file_);
  if (!text && text.error().code != ErrorCode::not_found)
    return fail(text.error().within("reading the release cache"));
  if (!text || !text->starts_with(header)) return rewrite();
  std::string_view rest = std::string_view(*text).substr(header.size());
  while (!rest.empty()) {
    const auto end = rest.find('\n');
    read_record(rest.substr(0, end));
    ++lines_;
    torn_ = end == std::string_view::npos;
    rest.remove_prefix(torn_ ? rest.size() : end + 1);
  }
  return open_for_append();
}

void Cache::read_record(std::string_view line) {
  if (line.size() <= checksum_digits || line[checksum_digits] != ' ') return;
  const auto text = line.substr(checksum_digits + 1);
  if (sha256_hex(text).substr(0, checksum_digits) != line.substr(0, checksum_digits)) return;
  const auto record = json::parse(text);
  if (!record) return;
  if (auto digest = text_of(*record, "image"); !digest.empty()) {
    CachedImage image{.arch = text_of(*record, "arch"),
                      .metadata = text_of(*record, "metadata"),
                      .fault = text_of(*record, "fault"),
                      .retry_at = {}};
    if (const auto retry = json::find_string(*record, "retry"))
      image.retry_at = parse_time(*retry).value_or(WallTime{});
    images_.insert_or_assign(std::move(digest), std::move(image));
  } else if (auto tag = text_of(*record, "tag"); !tag.empty()) {
    tags_.insert_or_assign(std::move(tag), text_of(*record, "digest"));
  } else if (auto verified = text_of(*record, "verified"); !verified.empty()) {
    verified_.insert_or_assign(std::move(verified), text_of(*record, "keys"));
  }
}

std::optional<CachedImage> Cache::image(const std::string& digest) const {
  const std::lock_guard lock(mutex_);
  const auto found = images_.find(digest);
  return found == images_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::string> Cache::tag(const std::string& tag) const {
  const std::lock_guard lock(mutex_);
  const auto found = tags_.find(tag);
  return found == tags_.end() ? std::nullopt : std::optional(found->second);
}

bool Cache::verified(const std::string& digest, const std::string& keys) const {
  const std::lock_guard lock(mutex_);
  const auto found = verified_.find(digest);
  if (found != verified_.end()) return found->second == keys;
  return file_.empty() && !keys.empty() && store_->verified_by(digest) == keys;
}

std::optional<Contents> Cache::contents(const std::string& digest) const {
  const std::lock_guard lock(mutex_);
  return store_->find(digest);
}

void Cache::put_contents(const std::string& digest, const Contents& image) {
  const std::lock_guard lock(mutex_);
  store_->put(digest, image);
}

Result<void> Cache::put_image(const std::string& digest, CachedImage image) {
  const std::lock_guard lock(mutex_);
  const auto record = record_of(digest, image);
  images_.insert_or_assign(digest, std::move(image));
  return append(record);
}

Result<void> Cache::put_tag(const std::string& tag, const std::string& digest) {
  const std::lock_guard lock(mutex_);
  auto& known = tags_[tag];
  if (known == digest) return {};
  known = digest;
  return append(tag_record(tag, digest));
}

Result<void> Cache::put_verified(const std::string& digest, const std::string& keys) {
  const std::lock_guard lock(mutex_);
  if (file_.empty() && store_->is_kept()) {
    auto written = store_->put_verified(digest, keys);
    // Known at least until this process ends.
    if (!written) verified_.insert_or_assign(digest, keys);
    return written;
  }
  auto& known = verified_[digest];
  if (known == keys) return {};
  known = keys;
  return append(verified_record(digest, keys));
}

Result<void> Cache::retain(const std::set<std::string>& tags, const std::set<std::string>& digests) {
  const std::lock_guard lock(mutex_);
  std::erase_if(tags_, [&tags](const auto& entry) { return !tags.contains(entry.first); });
  std::erase_if(images_, [&digests](const auto& entry) { return !digests.contains(entry.first); });
  std::erase_if(verified_, [&digests](const auto& entry) { return !digests.contains(entry.first); });
  const auto live = tags_.size() + images_.size() + verified_.size();
  if (file_.empty() || lines_ <= 2 * live + max_dead_lines) return {};
  return rewrite();
}

std::string Cache::all_records() const {
  std::string text(header);
  for (const auto& [digest, image] : images_) text += record_of(digest, image);
  for (const auto& [tag, digest] : tags_) text += tag_record(tag, digest);
  for (const auto& [digest, keys] : verified_) text += verified_record(digest, keys);
  return text;
}

Result<void> Cache::rewrite() {
  if (auto written = write_file_atomically(file_, all_records()); !written) {
    return fail(written.error().within("writing the release cache"));
  }
  lines_ = tags_.size() + images_.size() + verified_.size();
  torn_ = false;
  return open_for_append();
}

Result<void> Cache::open_for_append() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = ::open(file_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (descriptor_ >= 0) return {};
  return fail(ErrorCode::unavailable,
              "opening the release cache " + file_.string() + ": " + std::strerror(errno));
}

// One write a record: the kernel keeps what was written when the process is killed. A loss of power may cost
// the last records, which costs reading those images again.
Result<void> Cache::append(const std::string& record) {
  if (descriptor_ < 0) return {};
  const std::string bytes = (torn_ ? "\n" : "") + record;
  std::size_t written = 0;
  while (written < bytes.size()) {
    const auto count = ::write(descriptor_, bytes.data() + written, bytes.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      const int error = errno;
      torn_ = torn_ || written > 0;
      return fail(ErrorCode::unavailable,
                  "writing the release cache " + file_.string() + ": " + std::strerror(error));
    }
    written += static_cast<std::size_t>(count);
  }
  torn_ = false;
  ++lines_;
  return {};
}

}  // namespace fairway::release
