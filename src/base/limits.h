// SPDX-License-Identifier: Apache-2.0

// Limits of a blocking call: its deadline and stop token.
#pragma once

#include <chrono>
#include <stop_token>

#include "base/clock.h"

namespace fairway {

/// Deadline and stop token of a blocking call. The deadline is a time of the callee's clock.
struct Limits {
  /// `SteadyTime::max()`: the caller sets none. A callee that needs one documents its default.
  SteadyTime deadline = SteadyTime::max();
  std::stop_token stop = {};

  /// Returns limits from now on for `timeout`; one that is longer than the clock runs is no deadline.
  static Limits within(const Clock& clock, std::chrono::nanoseconds timeout, std::stop_token stop = {});

  bool has_deadline() const { return deadline != SteadyTime::max(); }
  /// Returns whether to give up: a stop was requested, or the deadline has passed.
  bool expired(const Clock& clock) const {
    return stop.stop_requested() || (has_deadline() && clock.steady() >= deadline);
  }
  /// Returns the time left until the deadline: never less than 0, and the longest duration if there is none.
  std::chrono::nanoseconds remaining(const Clock& clock) const;
  /// Returns the same limits, but for no longer than `timeout` from now.
  Limits at_most(const Clock& clock, std::chrono::nanoseconds timeout) const;
  /// Returns the same limits on another clock: waits in the kernel use the machine's clock, whichever one the
  /// callers have.
  Limits moved(const Clock& from, const Clock& to) const;
};

}  // namespace fairway
