// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/audit/audit_log.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>

#include "base/log.h"

namespace fairway::apiserver::audit {
namespace {

/// Bytes of events that may wait for the thread.
constexpr std::size_t most_bytes = std::size_t{16} << 20;
/// Interval at which a write to a full pipe checks whether the server stops.
constexpr int look_milliseconds = 100;

}  // namespace

Result<std::unique_ptr<AuditLog>> AuditLog::open(const std::filesystem::path& file, AuditLevel level) {
  // Not to wait for the reader of a pipe.
  FileDescriptor opened(
      ::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600));
  if (!opened) {
    return fail(ErrorCode::unavailable, "opening the audit log " + file.string() + ": " +
                                            std::error_code(errno, std::generic_category()).message());
  }
  return std::unique_ptr<AuditLog>(new AuditLog(std::move(opened), file.string(), level));
}

AuditLog::AuditLog(FileDescriptor file, std::string name, AuditLevel level)
    : file_(std::move(file)),
      name_(std::move(name)),
      level_(level),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

AuditLog::~AuditLog() {
  thread_.request_stop();
  thread_.join();
}

void AuditLog::add(const AuditEvent& event) {
  std::string line = to_line(event, level_) + "\n";
  const std::lock_guard lock(mutex_);
  if (queued_bytes_ + line.size() > most_bytes) {
    ++lost_;
    return;
  }
  queued_bytes_ += line.size();
  queue_.push_back(std::move(line));
  is_idle_ = false;
  changed_.notify_all();
}

std::uint64_t AuditLog::lost() const {
  const std::lock_guard lock(mutex_);
  return lost_;
}

void AuditLog::wait_until_written() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return is_idle_; });
}

bool AuditLog::write(std::string_view line, const std::stop_token& stop) {
  const std::string_view whole = line;
  int failure = 0;
  while (!line.empty() && failure == 0) {
    const ssize_t written = ::write(file_.get(), line.data(), line.size());
    if (written >= 0) {
      line.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN && !stop.stop_requested()) {
      pollfd ready{.fd = file_.get(), .events = POLLOUT, .revents = 0};
      ::poll(&ready, 1, look_milliseconds);
    } else if (errno != EINTR) {
      failure = errno;
    }
  }
  if (line.size() != whole.size()) is_torn_ = !line.empty();
  if (failure == 0) {
    if (std::exchange(is_failing_, false)) log::info("the audit log is written again", {{"file", name_}});
  } else if (!std::exchange(is_failing_, true)) {
    log::error("the audit log cannot be written: requests are served and not recorded",
               {{"file", name_}, {"why", std::error_code(failure, std::generic_category()).message()}});
  }
  return failure == 0;
}

void AuditLog::run(const std::stop_token& stop) {
  // The reader of a pipe may go: that is an error of the write, and not the end of the process.
  sigset_t broken_pipe;
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
  while (true) {
    std::deque<std::string> lines;
    {
      std::unique_lock lock(mutex_);
      if (queue_.empty()) {
        is_idle_ = true;
        changed_.notify_all();
      }
      changed_.wait(lock, stop, [this] { return !queue_.empty(); });
      if (queue_.empty()) return;
      lines.swap(queue_);
      queued_bytes_ = 0;
    }
    std::uint64_t lost = 0;
    for (const std::string& line : lines) {
      // A line that is whole begins a line.
      if (!write(is_torn_ ? "\n" + line : line, stop)) ++lost;
    }
    const std::lock_guard lock(mutex_);
    lost_ += lost;
  }
}

}  // namespace fairway::apiserver::audit
