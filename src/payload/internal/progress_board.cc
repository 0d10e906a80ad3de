// SPDX-License-Identifier: Apache-2.0

#include "payload/internal/progress_board.h"

#include <utility>
#include <vector>

namespace fairway::payload {

void ProgressBoard::set(const std::string& step, UpdateError error) {
  const std::lock_guard lock(mutex_);
  UpdateError& known = errors_[step];
  if (known == error) return;
  known = std::move(error);
  tell_step({.step = step, .stage = StepStage::waiting, .error = &known});
  tell();
}

void ProgressBoard::clear(const std::string& step) {
  const std::lock_guard lock(mutex_);
  if (errors_.erase(step) == 0) return;
  tell_step({.step = step});
  tell();
}

void ProgressBoard::done(const std::string& step, bool counts) {
  const std::lock_guard lock(mutex_);
  const bool changed = errors_.erase(step) != 0 || counts;
  if (counts) ++done_;
  tell_step({.step = step, .stage = StepStage::done});
  if (changed) tell();
}

void ProgressBoard::end(const std::string& step) const {
  const std::lock_guard lock(mutex_);
  const auto error = errors_.find(step);
  if (error == errors_.end()) {
    tell_step({.step = step, .stage = StepStage::interrupted});
  } else {
    tell_step({.step = step, .stage = StepStage::failed, .error = &error->second});
  }
}

ApplyProgress ProgressBoard::progress() const {
  const std::lock_guard lock(mutex_);
  return gather();
}

ApplyProgress ProgressBoard::gather() const {
  ApplyProgress now{.done = done_, .total = total_, .error = {}};
  if (errors_.empty()) return now;
  std::vector<UpdateError> errors;
  errors.reserve(errors_.size());
  for (const auto& [step, error] : errors_) errors.push_back(error);
  now.error = merge_errors(std::move(errors));
  return now;
}

void ProgressBoard::tell() const {
  if (on_progress_) on_progress_(gather());
}

}  // namespace fairway::payload
