// SPDX-License-Identifier: Apache-2.0

// Writes how far a plan is, not too often.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "payload/apply_plan.h"

namespace fairway::operators {

/// Calls `write` on a thread of its own: at most once a second while there is progress, and every half a
/// minute without any, as waiting may have become late. If `write` returns false, it is called again, after
/// pauses that grow to half a minute. The destructor ends the thread; the last value may then be unwritten.
class ProgressWriter {
 public:
  explicit ProgressWriter(std::function<bool(const payload::ApplyProgress& progress)> write);
  void set(const payload::ApplyProgress& progress);

 private:
  void run(const std::stop_token& stop);

  const std::function<bool(const payload::ApplyProgress&)> write_;
  std::mutex mutex_;
  std::condition_variable_any has_changed_;
  std::optional<payload::ApplyProgress> latest_;
  bool changed_ = false;
  std::jthread thread_;  ///< last: it uses the others
};

}  // namespace fairway::operators
