// How far long work is, for people who wait for it.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string_view>

#include "updateservice/source.h"

namespace fairway::cli {

/// A line on standard error that says how long work is doing; nothing where that is no terminal. Gone when
/// destroyed.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  /// Valid as long as this object; may be called from any thread.
  updateservice::Progress callback();

 private:
  void show(std::string_view what, std::size_t done, std::size_t total);

  bool terminal_ = false;
  std::mutex mutex_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace fairway::cli
