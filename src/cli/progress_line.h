// How far long work is, for people who wait for it.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string_view>

#include "sources/source.h"

namespace fairway::cli {

/// A line on standard error that says how long work is doing; gone when destroyed. Where that is no terminal
/// there is nothing, or a new line every `lines_every`: what runs for hours as a job has only its log.
class ProgressLine {
 public:
  explicit ProgressLine(std::chrono::seconds lines_every = {});
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  /// Valid as long as this object; may be called from any thread.
  sources::Progress callback();

 private:
  void show(std::string_view what, std::size_t done, std::size_t total);

  bool terminal_ = false;
  std::chrono::seconds lines_every_;
  std::mutex mutex_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace fairway::cli
