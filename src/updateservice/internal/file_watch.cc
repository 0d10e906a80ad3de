// SPDX-License-Identifier: Apache-2.0

#include "updateservice/internal/file_watch.h"

#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>

#include <array>
#include <filesystem>
#include <stop_token>
#include <utility>

#include "base/file_descriptor.h"

namespace fairway::updateservice {
namespace {

/// Longest wait in the kernel, after which a stop is seen, and changes that inotify does not report.
constexpr int look_every_ms = 1000;
constexpr int settle_ms = 100;
constexpr int most_settling = 20;

/// Returns a text of the inodes, sizes and times of the files that the names lead to: equal texts mean that
/// nothing was written.
std::string state_of(const std::vector<std::string>& files) {
  std::string state;
  for (const std::string& file : files) {
    struct stat about{};
    if (::stat(file.c_str(), &about) != 0) {
      state += "absent\n";
      continue;
    }
    for (const auto value :
         {static_cast<long long>(about.st_dev), static_cast<long long>(about.st_ino),
          static_cast<long long>(about.st_size), static_cast<long long>(about.st_mtim.tv_sec),
          static_cast<long long>(about.st_mtim.tv_nsec), static_cast<long long>(about.st_ctim.tv_nsec)}) {
      state += std::to_string(value) + " ";
    }
    state += "\n";
  }
  return state;
}

/// Waits for an event and takes it; false if none came.
bool wait_for_event(const FileDescriptor& inotify, int wake, int timeout_ms) {
  std::array<pollfd, 2> waiting{pollfd{inotify.get(), POLLIN, 0}, pollfd{wake, POLLIN, 0}};
  if (::poll(waiting.data(), waiting.size(), timeout_ms) <= 0) return false;
  std::array<char, 4096> events{};
  return waiting[0].revents != 0 && ::read(inotify.get(), events.data(), events.size()) > 0;
}

/// Watches the folders in which a change of a file, or of a link to it, is an event. Adding one again changes
/// nothing.
void watch_folders(const FileDescriptor& inotify, const std::vector<std::string>& files) {
  constexpr unsigned events =
      IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_ATTRIB;
  for (const std::string& file : files) {
    std::error_code fault;
    std::filesystem::path path = std::filesystem::absolute(file, fault);
    ::inotify_add_watch(inotify.get(), path.parent_path().c_str(), events);
    path = std::filesystem::canonical(path, fault);
    if (!fault) ::inotify_add_watch(inotify.get(), path.parent_path().c_str(), events);
  }
}

void watch(const std::stop_token& stop, const std::vector<std::string>& files,
           const std::function<void()>& changed, std::string known) {
  std::array<int, 2> ends{-1, -1};
  if (::pipe(ends.data()) != 0) return;
  const FileDescriptor wake(ends[0]), waker(ends[1]);
  const std::stop_callback on_stop(
      stop, [&waker] { [[maybe_unused]] const auto sent = ::write(waker.get(), "s", 1); });
  const FileDescriptor inotify(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  while (!stop.stop_requested()) {
    watch_folders(inotify, files);
    wait_for_event(inotify, wake.get(), look_every_ms);
    if (stop.stop_requested() || state_of(files) == known) continue;
    for (int i = 0; i < most_settling && wait_for_event(inotify, wake.get(), settle_ms); ++i) {
    }
    if (stop.stop_requested()) return;
    known = state_of(files);
    changed();
  }
}

}  // namespace

FileWatch::FileWatch(std::vector<std::string> files, std::function<void()> changed) {
  // Before the thread begins: what is written from now on is a change.
  std::string known = state_of(files);
  thread_ = std::jthread([files = std::move(files), changed = std::move(changed), known = std::move(known)](
                             const std::stop_token& stop) { watch(stop, files, changed, known); });
}

}  // namespace fairway::updateservice
