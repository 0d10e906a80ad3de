// SPDX-License-Identifier: Apache-2.0

// A watch on the limits of a build, or of a comparison of builds, which may end it early.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "base/result.h"

namespace fairway::graph {

/// Checks the limits of a build now and then. After it has ended, unfinished results must not be used.
class Watch {
 public:
  /// Makes a watch. The clock, which the limits go by, must outlive it.
  Watch(const Limits& limits, const Clock& clock) : limits_(limits), clock_(clock) {}

  /// Returns whether to give up, from then on for good. Call it in each iteration of a loop over data;
  /// `steps` is the work of the iteration, a comparison or two being one.
  bool ended(std::size_t steps = 1) {
    steps_ += steps;
    if (steps_ < steps_between_looks) return ended_;
    steps_ = 0;
    ended_ = ended_ || limits_.expired(clock_);
    return ended_;
  }
  bool has_ended() const { return ended_; }
  /// Returns the error of a watch that has ended; `what` is the work, such as "building the graph".
  std::unexpected<Error> why(std::string_view what) const {
    if (limits_.stop.stop_requested()) return fail(ErrorCode::cancelled, std::string(what) + ": stopped");
    return fail(ErrorCode::deadline_exceeded, std::string(what) + " takes longer than it may");
  }
  const Limits& limits() const { return limits_; }

 private:
  static constexpr std::size_t steps_between_looks = 4096;

  const Limits limits_;
  const Clock& clock_;
  std::size_t steps_ = steps_between_looks;  ///< the first call checks the limits
  bool ended_ = false;
};

}  // namespace fairway::graph
