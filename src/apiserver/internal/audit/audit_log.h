// SPDX-License-Identifier: Apache-2.0

// The audit log: a file that requests never wait for.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "apiserver/audit_level.h"
#include "apiserver/internal/audit/audit_event.h"
#include "base/file_descriptor.h"
#include "base/result.h"

namespace fairway::apiserver::audit {

/// The audit log, one line an event, written by a thread of its own. Events that cannot be written (the disk
/// is full, nobody reads the pipe fast enough) are counted and lost; requests are served all the same. Safe
/// from all threads.
class AuditLog {
 public:
  /// Opens the log. Lines are appended to `file`, which is created if it is missing (0600). Errors: it cannot
  /// be opened.
  static Result<std::unique_ptr<AuditLog>> open(const std::filesystem::path& file, AuditLevel level);
  /// Writes the remaining events, as far as that is possible without waiting.
  ~AuditLog();
  AuditLog(const AuditLog&) = delete;
  AuditLog& operator=(const AuditLog&) = delete;

  void add(const AuditEvent& event);
  /// Number of events that were lost so far.
  std::uint64_t lost() const;
  /// Waits until all events so far are written, or lost.
  void wait_until_written();

 private:
  AuditLog(FileDescriptor file, std::string name, AuditLevel level);
  void run(const std::stop_token& stop);
  /// Writes a line. Returns whether all of it is in the file.
  bool write(std::string_view line, const std::stop_token& stop);

  FileDescriptor file_;
  std::string name_;
  AuditLevel level_;
  /// True if the file ends in the middle of a line.
  bool is_torn_ = false;
  /// True if the last line was lost.
  bool is_failing_ = false;

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::string> queue_;
  std::size_t queued_bytes_ = 0;
  bool is_idle_ = true;
  std::uint64_t lost_ = 0;
  std::jthread thread_;
};

}  // namespace fairway::apiserver::audit
