// SPDX-License-Identifier: Apache-2.0

// The progress of the steps of a plan, for display.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "payload/apply_plan.h"

namespace fairway::payload {

/// Gathers the progress of the steps. Thread-safe. Reports each change once, one at a time.
class ProgressBoard {
 public:
  ProgressBoard(std::size_t total, std::function<void(const ApplyProgress&)> on_progress,
                std::function<void(const StepChange&)> on_step = {})
      : total_(total), on_progress_(std::move(on_progress)), on_step_(std::move(on_step)) {}

  /// Records that a step begins.
  void begin(const std::string& step) const { tell_step({.step = step}); }
  /// Records that a step waits, or has failed.
  void set(const std::string& step, UpdateError error);
  /// Records that a step has nothing in its way (any more).
  void clear(const std::string& step);
  /// Records that a step is done. `counts`: true if it is one of `total`.
  void done(const std::string& step, bool counts);
  /// Records that a step has ended, and is not done. It has failed with the error that was set last, which
  /// stays; without one it was interrupted.
  void end(const std::string& step) const;
  ApplyProgress progress() const;

 private:
  ApplyProgress gather() const;
  void tell() const;
  void tell_step(const StepChange& change) const {
    if (on_step_) on_step_(change);
  }

  mutable std::mutex mutex_;
  const std::size_t total_;
  const std::function<void(const ApplyProgress&)> on_progress_;
  const std::function<void(const StepChange&)> on_step_;
  std::size_t done_ = 0;
  std::map<std::string, UpdateError> errors_;
};

}  // namespace fairway::payload
