// SPDX-License-Identifier: Apache-2.0

#include "oci/layers.h"

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "base/text.h"

namespace fairway::oci {

namespace {

/// Returns the path without "./", "/" and empty parts; nothing if a part is "..".
std::optional<std::string> clean_path(std::string_view raw) {
  std::string path;
  for (const std::string_view part : split(raw, '/')) {
    if (part.empty() || part == ".") continue;
    if (part == "..") return std::nullopt;
    if (!path.empty()) path += '/';
    path += part;
  }
  return path;
}

constexpr std::string_view whiteout_prefix = ".wh.";
/// Cost of a kept entry beside its bytes, so that millions of empty ones reach the limit too.
constexpr std::size_t entry_cost = 100;
/// Unpacked bytes before the ratio is checked: small archives may consist of zeros.
constexpr std::uint64_t ratio_ignored_bytes = std::uint64_t{256} << 20;
constexpr std::string_view opaque_name = ".wh..wh..opq";

}  // namespace

// libarchive pulls, callers push: the archive is read on a helper thread, and exactly one of the two sides
// runs at any time. `push` hands its piece over and waits until the reader asks for the next one, so that
// nothing is queued or copied, and the reader never outlives a call but asleep.
struct TarReader::Implementation {
  explicit Implementation(Options given) : options(std::move(given)) {}

  ~Implementation() {
    if (!thread.joinable()) return;
    {
      const std::lock_guard lock(mutex);
      abandoned = true;
      reader_runs = true;
    }
    changed.notify_all();
    thread.join();
  }

  /// Lets the reader run until it needs more input or has ended.
  void run_reader() {
    {
      std::unique_lock lock(mutex);
      reader_runs = true;
      if (!thread.joinable()) thread = std::thread([this] { read(); });
      changed.notify_all();
      changed.wait(lock, [this] { return !reader_runs; });
      piece = {};
    }
    if (ended) thread.join();
  }

  static la_ssize_t next_piece(archive* handle, void* self_pointer, const void** buffer) {
    auto& self = *static_cast<Implementation*>(self_pointer);
    std::unique_lock lock(self.mutex);
    if (self.end_of_input) return 0;
    if (self.handed_over) {
      self.reader_runs = false;
      self.changed.notify_all();
      self.changed.wait(lock, [&self] { return self.reader_runs; });
    }
    self.handed_over = true;
    if (self.abandoned) {
      archive_set_error(handle, ECANCELED, "abandoned");
      return -1;
    }
    *buffer = self.piece.data();
    return static_cast<la_ssize_t>(self.piece.size());
  }

  void read() {
    auto result = read_archive();
    const std::lock_guard lock(mutex);
    if (!result) error = std::move(result).error();
    ended = true;
    reader_runs = false;
    changed.notify_all();
  }

  Result<void> read_archive() {
    const std::unique_ptr<archive, decltype(&archive_read_free)> handle(archive_read_new(),
                                                                        &archive_read_free);
    if (!handle) return fail(ErrorCode::internal, "reading an archive: no memory");
    archive* const a = handle.get();
    archive_read_support_filter_gzip(a);
    archive_read_support_filter_zstd(a);
    archive_read_support_format_tar(a);
    if (archive_read_open(a, this, nullptr, &next_piece, nullptr) != ARCHIVE_OK) return broken(a);
    while (true) {
      archive_entry* entry = nullptr;
      const int outcome = archive_read_next_header(a, &entry);
      if (outcome == ARCHIVE_EOF) return {};
      if (outcome == ARCHIVE_RETRY) continue;
      if (outcome < ARCHIVE_WARN) return broken(a);
      if (auto done = read_entry(a, entry); !done) return fail(std::move(done).error());
      if (stopped) return {};
    }
  }

  Result<void> read_entry(archive* a, archive_entry* entry) {
    if (auto within = within_limit(a); !within) return within;
    if (++entries > options.max_entries) {
      return fail(ErrorCode::too_large,
                  "the archive has more than " + std::to_string(options.max_entries) + " entries");
    }
    // The locale's form fails for names that it cannot write; the UTF-8 form fails for names that are not
    // UTF-8.
    const char* raw = archive_entry_pathname_utf8(entry);
    if (raw == nullptr) raw = archive_entry_pathname(entry);
    if (raw == nullptr) return skip_data(a);
    auto path = clean_path(raw);
    if (!path) {
      return fail(ErrorCode::invalid,
                  "the archive's entry \"" + printable(raw) + "\" has \"..\" in its path: refused");
    }
    if (path->size() > options.max_path_bytes) return pass_over_long(a, *path);
    const auto type = archive_entry_filetype(entry);
    const bool folder = type == AE_IFDIR && archive_entry_hardlink(entry) == nullptr;
    if (folder || record_whiteout(*path)) {
      if (kept_bytes > options.max_kept_bytes) return too_much_kept();
      return skip_data(a);
    }
    if (path->empty() || !options.wanted(*path)) return skip_data(a);
    if (archive_entry_hardlink(entry) != nullptr || type == AE_IFLNK) {
      return pass_over(a, *path, "is a link; only regular files are read");
    }
    if (type != AE_IFREG) return pass_over(a, *path, "is no regular file");
    return keep(a, std::move(*path));
  }

  /// Skips an entry with a path that no reader of files could have; it is an error only for a wanted entry or
  /// a whiteout.
  Result<void> pass_over_long(archive* a, const std::string& path) {
    if (!options.wanted(path) && !path.contains(whiteout_prefix)) return skip_data(a);
    return fail(ErrorCode::too_large, "the archive's entry \"" + printable(path, 100) + "\" has a path of " +
                                          std::to_string(path.size()) + " bytes; the limit is " +
                                          std::to_string(options.max_path_bytes));
  }

  /// Returns whether the entry is a whiteout, and records it if so.
  bool record_whiteout(std::string_view path) {
    const auto slash = path.rfind('/');
    const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
    if (!name.starts_with(whiteout_prefix)) return false;
    std::string folder(slash == std::string_view::npos ? "" : path.substr(0, slash));
    if (name == opaque_name) {
      kept_bytes += folder.size() + entry_cost;
      // A whiteout of the folder itself says more.
      removed.emplace(std::move(folder), true);
      return true;
    }
    const std::string_view target = name.substr(whiteout_prefix.size());
    if (target.empty() || target.starts_with(whiteout_prefix)) return true;  // housekeeping of aufs
    std::string hidden = folder.empty() ? std::string(target) : folder + "/" + std::string(target);
    kept_bytes += hidden.size() + entry_cost;
    removed.insert_or_assign(std::move(hidden), false);
    return true;
  }

  Result<void> keep(archive* a, std::string path) {
    std::string content;
    const void* block = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    while (true) {
      const int outcome = archive_read_data_block(a, &block, &size, &offset);
      if (outcome == ARCHIVE_EOF) break;
      if (outcome == ARCHIVE_RETRY) continue;
      if (outcome < ARCHIVE_WARN) return broken(a);
      if (auto within = within_limit(a); !within) return within;
      const auto start = static_cast<std::uint64_t>(offset);
      if (start > options.max_file_bytes || size > options.max_file_bytes - start) {
        return pass_over(a, path, "is larger than " + std::to_string(options.max_file_bytes) + " bytes",
                         ErrorCode::too_large);
      }
      content.resize(start);  // a hole of a sparse file is zeros
      content.append(static_cast<const char*>(block), size);
      if (kept_bytes + content.size() > options.max_kept_bytes) return too_much_kept();
    }
    kept_bytes += content.size() + path.size() + entry_cost;
    if (kept_bytes > options.max_kept_bytes) return too_much_kept();
    if (options.record_unusable && (files.erase(path) > 0 || unusable.contains(path))) {
      // It is unknown which of the two is meant.
      unusable.insert_or_assign(std::move(path), "stands in it twice");
      return {};
    }
    files.insert_or_assign(std::move(path), std::move(content));
    stopped = options.stop_at_first;
    return {};
  }

  /// Reads the data and drops it: libarchive's own skip would run through a bomb without looking at the
  /// limit.
  Result<void> skip_data(archive* a) {
    const void* block = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    while (true) {
      const int outcome = archive_read_data_block(a, &block, &size, &offset);
      if (auto within = within_limit(a); !within) return within;
      if (outcome == ARCHIVE_EOF) return {};
      if (outcome == ARCHIVE_RETRY) continue;
      if (outcome < ARCHIVE_WARN) return broken(a);
    }
  }

  Result<void> pass_over(archive* a, const std::string& path, const std::string& why,
                         ErrorCode code = ErrorCode::invalid) {
    if (!options.record_unusable) return fail(code, "the archive's entry \"" + printable(path) + "\" " + why);
    kept_bytes += path.size() + why.size() + entry_cost;
    if (kept_bytes > options.max_kept_bytes) return too_much_kept();
    files.erase(path);
    unusable.insert_or_assign(path, why);
    return skip_data(a);
  }

  Result<void> within_limit(archive* a) const {
    const auto unpacked = static_cast<std::uint64_t>(std::max<la_int64_t>(archive_filter_bytes(a, 0), 0));
    const auto packed = static_cast<std::uint64_t>(std::max<la_int64_t>(archive_filter_bytes(a, -1), 1));
    if (unpacked > ratio_ignored_bytes && unpacked / packed > options.max_ratio) {
      return fail(ErrorCode::too_large, "the archive unpacks to more than " +
                                            std::to_string(options.max_ratio) +
                                            " times its size: taken for a compression bomb");
    }
    if (unpacked <= options.max_unpacked_bytes) return {};
    return fail(ErrorCode::too_large, "the archive unpacks to more than " +
                                          std::to_string(options.max_unpacked_bytes) +
                                          " bytes: taken for a compression bomb");
  }

  Result<void> too_much_kept() const {
    return fail(ErrorCode::too_large, "the archive's files that count are larger than " +
                                          std::to_string(options.max_kept_bytes) + " bytes in all");
  }

  static Result<void> broken(archive* a) {
    const char* why = archive_error_string(a);
    return fail(ErrorCode::invalid, "the archive is broken or no tar (plain, gzip or zstd): " +
                                        printable(why == nullptr ? "unknown fault" : why));
  }

  Options options;
  std::map<std::string, std::string> files;
  Whiteouts removed;
  std::map<std::string, std::string> unusable;
  std::size_t kept_bytes = 0;
  std::uint64_t entries = 0;
  bool stopped = false;  ///< true after the first wanted file with stop_at_first

  std::thread thread;
  std::mutex mutex;
  std::condition_variable changed;
  std::string_view piece;  ///< lives in the caller of `push`; empty at the end of the input
  bool reader_runs = false;
  bool handed_over = false;  ///< true if the first piece was pushed before the reader asked for it
  bool end_of_input = false;
  bool abandoned = false;
  bool ended = false;
  std::optional<Error> error;
};

bool hides(const Whiteouts& whiteouts, std::string_view path) {
  if (const auto exact = whiteouts.find(std::string(path)); exact != whiteouts.end() && !exact->second)
    return true;
  if (whiteouts.contains("")) return true;
  for (auto slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/', slash + 1)) {
    if (whiteouts.contains(std::string(path.substr(0, slash)))) return true;
  }
  return false;
}

TarReader::TarReader(Options options)
    : implementation_(std::make_unique<Implementation>(std::move(options))) {}
TarReader::~TarReader() = default;

Result<bool> TarReader::push(std::string_view piece) {
  auto& self = *implementation_;
  if (!self.ended && !piece.empty()) {
    self.piece = piece;
    self.run_reader();
  }
  if (self.error) return fail(*self.error);
  return !self.stopped;
}

Result<void> TarReader::finish() {
  auto& self = *implementation_;
  if (!self.ended) {
    if (!self.thread.joinable()) {
      self.ended = true;
      self.error = Error{ErrorCode::invalid, "the archive is empty: no tar"};
    } else {
      self.end_of_input = true;
      self.run_reader();
    }
  }
  if (self.error) return fail(*self.error);
  return {};
}

const std::map<std::string, std::string>& TarReader::files() const {
  return implementation_->files;
}
const Whiteouts& TarReader::removed() const {
  return implementation_->removed;
}
const std::map<std::string, std::string>& TarReader::unusable() const {
  return implementation_->unusable;
}

}  // namespace fairway::oci
