// SPDX-License-Identifier: Apache-2.0

// The lines that `adm upgrade --wait` prints.
#pragma once

#include <string>
#include <string_view>

#include "adm/follow/follower.h"
#include "base/clock.h"

namespace fairway::cli {

/// Prints the states of a followed update on standard output: a line that is rewritten on a terminal, else a
/// line for each change, or a document. A rewritten line is removed before anything else is printed.
class FollowLines {
 public:
  /// `output` is that of -o: "json" and "yaml" are documents.
  explicit FollowLines(std::string output);
  ~FollowLines();
  FollowLines(const FollowLines&) = delete;
  FollowLines& operator=(const FollowLines&) = delete;

  /// Shows a state, unless it is the one before.
  void show(const adm::FollowTarget& target, const adm::FollowStep& step, WallTime now);
  /// Writes a warning to standard error, above the rewritten line.
  void warn(std::string_view text);
  /// Removes the rewritten line.
  void clear();

 private:
  void rewrite();

  const std::string output_;
  bool rewrites_ = false, shown_ = false;
  adm::FollowStep last_;
};

}  // namespace fairway::cli
