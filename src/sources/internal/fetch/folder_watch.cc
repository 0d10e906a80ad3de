// SPDX-License-Identifier: Apache-2.0

#include "sources/internal/fetch/folder_watch.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/file_descriptor.h"
#include "base/log.h"

namespace fairway::sources {

namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr std::array<const char*, 4> top_folders = {"blocked-edges", "channels", "raw", "signatures"};
constexpr std::array<const char*, 4> top_files = {"LICENSE", "accept-payloads", "accept-widening", "version"};
constexpr int max_depth = 8;
constexpr int max_links = 40;
constexpr std::size_t max_names = 100'000, max_watches = 8192;
// A Git that was killed leaves its lock behind for ever.
constexpr std::chrono::minutes stale_lock{10};

WallTime wall_time(const timespec& time) {
  const auto since = std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  return WallTime(std::chrono::duration_cast<WallTime::duration>(since));
}

/// Returns whether a folder of the first level leads elsewhere: the reader refuses it, and its target may be
/// anything, even `/`.
bool leads_outside(const fs::path& root, const fs::path& folder) {
  std::error_code error;
  const fs::path top = fs::canonical(root, error);
  if (error) return false;
  const fs::path target = fs::canonical(folder, error);
  if (error) return false;
  return target == top || std::ranges::mismatch(top, target).in1 != top.end();
}

bool is_real_folder(const fs::path& path) {
  struct stat status{};
  return lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

class Look {
 public:
  explicit Look(const Clock& clock) : clock_(clock) {}

  FolderState at(const fs::path& folder) {
    record(folder, "");
    for (const char* name : top_files) record(folder / name, name);
    for (const char* name : top_folders) {
      if (record(folder / name, name) && !leads_outside(folder, folder / name)) below(folder / name, name, 0);
    }
    digest_.update(state_.fault);
    struct stat lock{};
    state_.locked = lstat((folder / ".git" / "index.lock").c_str(), &lock) == 0 &&
                    clock_.now() - wall_time(lock.st_mtim) < stale_lock;
    if (state_.locked) digest_.update("locked");
    state_.fingerprint = digest_.hex();
    return std::move(state_);
  }

 private:
  /// Notes a path, and returns whether it is a folder.
  bool record(const fs::path& path, const std::string& shown) {
    struct stat status{};
    if (stat(path.c_str(), &status) != 0) {
      digest_.update(shown + " absent\n");
      return false;
    }
    const auto number = [](auto value) { return " " + std::to_string(value); };
    digest_.update(shown + number(status.st_dev) + number(status.st_ino) + number(status.st_size) +
                   number(status.st_mode) + number(status.st_mtim.tv_sec) + number(status.st_mtim.tv_nsec) +
                   number(status.st_ctim.tv_sec) + number(status.st_ctim.tv_nsec) + "\n");
    state_.newest = std::max(state_.newest, wall_time(status.st_ctim));
    return S_ISDIR(status.st_mode);
  }

  /// Records the content of a folder. Links in it are recorded with their targets, and not followed further:
  /// they may lead to a folder that contains them.
  void below(const fs::path& path, const std::string& shown, int depth) {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
      if (++names_ > max_names) {
        state_.fault = "more than " + std::to_string(max_names) + " names";
        return;
      }
      names.push_back(entry->path().filename().string());
    }
    std::ranges::sort(names);
    for (const std::string& name : names) {
      const std::string inner = (fs::path(shown) / name).string();
      if (record(path / name, inner) && depth < max_depth && is_real_folder(path / name))
        below(path / name, inner, depth + 1);
    }
  }

  const Clock& clock_;
  std::size_t names_ = 0;
  FolderState state_;
  Sha256 digest_;
};

/// Returns whether a folder is on a file system that others may write to unnoticed by this kernel.
bool is_remote(const std::string& folder) {
  struct statfs status{};
  if (statfs(folder.c_str(), &status) != 0) return false;
  constexpr std::array<std::uint32_t, 7> kinds = {
      0x6969 /*NFS*/,    0xFF534D42 /*CIFS*/, 0xFE534D42 /*SMB2*/, 0x65735546 /*FUSE*/,
      0x01021997 /*9P*/, 0x00C36400 /*Ceph*/, 0x5346414F /*AFS*/};
  return std::ranges::find(kinds, static_cast<std::uint32_t>(status.f_type)) != kinds.end();
}

/// One generation of inotify watches. After each change a new one is made, since folders come and go and
/// links change their targets.
class Watches {
 public:
  explicit Watches(const std::string& folder) : inotify_(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    if (inotify_.get() < 0) {
      fault_ = std::strerror(errno);
      return;
    }
    way_to(fs::absolute(folder));
    everything_in(folder);
    if (Interest* git = watch(fs::path(folder) / ".git")) git->names.insert("index.lock");
    for (const char* name : top_folders) {
      way_to(fs::absolute(fs::path(folder) / name));
      if (!leads_outside(folder, fs::path(folder) / name)) tree(fs::path(folder) / name, 0);
    }
  }

  int descriptor() const { return inotify_.get(); }
  /// Returns why not everything could be watched; empty: everything is.
  const std::string& fault() const { return fault_; }

  /// Takes all events, and returns whether any of them matters.
  bool drain() {
    bool matters = false;
    alignas(inotify_event) std::array<char, 16384> buffer{};
    for (;;) {
      const ssize_t size = read(inotify_.get(), buffer.data(), buffer.size());
      if (size <= 0) return matters;
      for (ssize_t at = 0; at < size;) {
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the kernel's interface
        const auto* event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
        at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
        matters |= concerns(*event);
      }
    }
  }

 private:
  struct Interest {
    bool everything = false;
    std::set<std::string> names;
  };

  bool concerns(const inotify_event& event) const {
    if ((event.mask & IN_Q_OVERFLOW) != 0) return true;
    const auto found = interests_.find(event.wd);
    if (found == interests_.end()) return false;
    if (found->second.everything) return true;
    return event.len > 0 && found->second.names.contains(event.name);
  }

  Interest* watch(const fs::path& folder) {
    if (interests_.size() >= max_watches) {
      fault_ = "more than " + std::to_string(max_watches) + " folders";
      return nullptr;
    }
    constexpr std::uint32_t mask = IN_ATTRIB | IN_CLOSE_WRITE | IN_MODIFY | IN_CREATE | IN_DELETE |
                                   IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;
    const int number = inotify_add_watch(inotify_.get(), folder.c_str(), mask);
    if (number >= 0) return &interests_[number];
    if (errno != ENOENT && errno != ENOTDIR) fault_ = folder.string() + ": " + std::strerror(errno);
    return nullptr;
  }

  void everything_in(const fs::path& folder) {
    if (Interest* interest = watch(folder)) interest->everything = true;
  }

  void tree(const fs::path& folder, int depth) {
    std::error_code error;
    if (depth > max_depth || !fs::is_directory(folder, error)) return;
    everything_in(folder);
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
      if (++names_ > max_names) fault_ = "more than " + std::to_string(max_names) + " names";
      if (!fault_.empty()) return;
      if (is_real_folder(entry->path())) tree(entry->path(), depth + 1);
    }
  }

  /// Watches the names that decide where `path` leads: each symbolic link on the way, and its last part.
  void way_to(const fs::path& path) {
    fs::path here = path.root_path();
    const fs::path relative = path.lexically_normal().relative_path();
    std::deque<fs::path> parts(relative.begin(), relative.end());
    for (int links = 0; !parts.empty() && links < max_links;) {
      const fs::path part = parts.front();
      parts.pop_front();
      if (part.empty() || part == ".") continue;
      if (part == "..") {
        here = here.parent_path();
        continue;
      }
      std::error_code error;
      const fs::path next = here / part;
      const fs::file_type type = fs::symlink_status(next, error).type();
      if (type == fs::file_type::symlink || type == fs::file_type::not_found || parts.empty()) {
        if (Interest* interest = watch(here)) interest->names.insert(part.string());
      }
      if (type == fs::file_type::not_found) return;
      if (type != fs::file_type::symlink) {
        here = next;
        continue;
      }
      ++links;
      const fs::path target = fs::read_symlink(next, error);
      if (error) return;
      if (target.is_absolute()) here = target.root_path();
      const fs::path steps = target.relative_path();
      parts.insert(parts.begin(), steps.begin(), steps.end());
    }
  }

  FileDescriptor inotify_;
  std::map<int, Interest> interests_;
  std::size_t names_ = 0;
  std::string fault_;
};

class Watcher {
 public:
  Watcher(std::string folder, std::string known, std::function<void()> changed, FolderWatchOptions options)
      : folder_(std::move(folder)),
        known_(std::move(known)),
        changed_(std::move(changed)),
        options_(options),
        wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

  void run(const std::stop_token& own, const std::stop_token& callers) {
    const auto wake = [this] {
      const std::uint64_t one = 1;
      static_cast<void>(!write(wake_.get(), &one, sizeof one));
    };
    const std::stop_callback on_own(own, wake);
    const std::stop_callback on_callers(callers, wake);
    const auto stopped = [&] { return own.stop_requested() || callers.stop_requested(); };

    watch_anew();
    if (known_.empty()) known_ = read_folder_state(folder_, *options_.clock).fingerprint;
    // Changes before the watches stood have left no event.
    bool pending = read_folder_state(folder_, *options_.clock).fingerprint != known_;
    while (!stopped()) {
      if (!pending) {
        const bool all_watched = watches_ && watches_->fault().empty();
        pending = wait(options_.clock->steady() +
                       (all_watched ? options_.slow_interval : options_.quick_interval)) ||
                  read_folder_state(folder_, *options_.clock).fingerprint != known_;
      }
      if (!pending || stopped()) continue;
      settle(stopped);
      // First the watches, then the report: a reader that is called after it sees all that they missed.
      watch_anew();
      known_ = read_folder_state(folder_, *options_.clock).fingerprint;
      pending = false;
      if (!stopped()) changed_();
    }
  }

 private:
  void watch_anew() {
    watches_.reset();
    if (!options_.without_inotify && !is_remote(folder_)) watches_.emplace(folder_);
    if (watches_ && !watches_->fault().empty() && !warned_) {
      warned_ = true;
      log::warning("cannot watch all of the graph data by inotify; looking at it every second instead",
                   {{"folder", folder_}, {"why", watches_->fault()}});
    }
  }

  /// Waits for an event that matters. False: none came until then, or the watch was stopped.
  bool wait(SteadyTime until) {
    std::array<pollfd, 2> waiting = {{{wake_.get(), POLLIN, 0}, {-1, POLLIN, 0}}};
    if (watches_) waiting[1].fd = watches_->descriptor();
    for (;;) {
      const auto left = std::chrono::ceil<milliseconds>(until - options_.clock->steady());
      if (left <= milliseconds(0)) return false;
      const int ready = poll(waiting.data(), waiting.size(), static_cast<int>(left.count()));
      if (ready <= 0 && errno != EINTR) return false;
      if (ready > 0 && (waiting[0].revents & POLLIN) != 0) return false;
      if (ready > 0 && watches_->drain()) return true;
    }
  }

  /// Waits until nothing has happened for a while.
  void settle(const std::function<bool()>& stopped) {
    const SteadyTime last = options_.clock->steady() + options_.longest;
    std::string before = read_folder_state(folder_, *options_.clock).fingerprint;
    while (!stopped() && options_.clock->steady() < last) {
      const bool event = wait(std::min(last, options_.clock->steady() + options_.settle));
      std::string now = read_folder_state(folder_, *options_.clock).fingerprint;
      if (!event && now == before) return;
      before = std::move(now);
    }
  }

  std::string folder_;
  std::string known_;
  std::function<void()> changed_;
  FolderWatchOptions options_;
  FileDescriptor wake_;
  std::optional<Watches> watches_;
  bool warned_ = false;
};

}  // namespace

FolderState read_folder_state(const std::string& folder, const Clock& clock) {
  return Look(clock).at(folder);
}

FolderWatch::FolderWatch(std::string folder, std::string known, std::function<void()> changed,
                         std::stop_token stop, FolderWatchOptions options)
    : thread_(
          [watcher = Watcher(std::move(folder), std::move(known), std::move(changed), options),
           callers = std::move(stop)](const std::stop_token& own) mutable { watcher.run(own, callers); }) {}

}  // namespace fairway::sources
