// SPDX-License-Identifier: Apache-2.0

#include "sources/internal/fetch/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace fairway::sources {
namespace {

/// Poll interval of the lock, since flock(2) cannot wait for a stop token.
constexpr std::chrono::milliseconds look_every{50};

}  // namespace

Result<FileLock> FileLock::take(const std::filesystem::path& file, const Limits& limits, Clock& clock) {
  std::error_code ignored;
  std::filesystem::create_directories(file.parent_path(), ignored);
  FileDescriptor descriptor(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!descriptor) {
    return fail(ErrorCode::unavailable,
                "opening " + file.string() + ": " + std::generic_category().message(errno));
  }
  while (::flock(descriptor.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) break;
    if (limits.expired(clock)) {
      return fail(limits.stop.stop_requested() ? ErrorCode::cancelled : ErrorCode::deadline_exceeded,
                  "waiting for " + file.string() +
                      ": another process uses it, or a source that a reload has replaced; give each service "
                      "a --data of its own");
    }
    clock.wait_until(std::min(clock.steady() + look_every, limits.deadline), limits.stop);
  }
  return FileLock(std::move(descriptor));
}

}  // namespace fairway::sources
