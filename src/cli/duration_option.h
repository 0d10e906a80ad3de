// SPDX-License-Identifier: Apache-2.0

// Durations that flags give.
#pragma once

#include <chrono>
#include <string>

#include "base/clock.h"
#include "base/result.h"

namespace fairway::cli {

/// Parses a flag's duration ("90s", "1h30m") in whole `Unit`s. Errors (`invalid`), which name the flag: it is
/// not a duration, or not above zero.
template <class Unit>
Result<Unit> duration_of(const std::string& flag, const std::string& text) {
  auto duration = parse_duration(text);
  if (!duration) return fail(duration.error().within("reading --" + flag));
  const auto rounded = std::chrono::duration_cast<Unit>(*duration);
  if (rounded <= Unit::zero()) return fail(ErrorCode::invalid, "--" + flag + " " + text + " is too short");
  return rounded;
}

}  // namespace fairway::cli
