// SPDX-License-Identifier: Apache-2.0

// Progress of long operations on a terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string_view>

#include "base/clock.h"
#include "sources/source.h"

namespace fairway::cli {

/// A progress line on standard error, removed on destruction. If standard error is not a terminal, nothing is
/// shown, or a new line every `lines_every`, for jobs whose only output is the log.
class ProgressLine {
 public:
  explicit ProgressLine(const Clock& clock, std::chrono::seconds lines_every = {});
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  /// Returns a callback, which is valid during this object's lifetime and may be called from any thread.
  sources::Progress callback();
  /// Writes a line that stays, at once.
  void say(std::string_view text);

 private:
  void show(std::string_view what, std::size_t done, std::size_t total);

  const Clock& clock_;
  bool terminal_ = false;
  std::chrono::seconds lines_every_;
  std::mutex mutex_;
  bool shown_ = false;
  SteadyTime last_;
};

}  // namespace fairway::cli
