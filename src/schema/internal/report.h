// SPDX-License-Identifier: Apache-2.0

// Problems as they are found; or, if the caller does not need them, only whether there is one.
#pragma once

#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "schema/internal/place.h"
#include "schema/problem.h"

namespace fairway::schema::internal {

struct Report {
  std::string_view prefix;
  Violations problems;

  std::string path(std::string_view in_body) const { return below(prefix, in_body); }
  void add(Violation problem) { problems.push_back(std::move(problem)); }
  /// A fault that the API server reports without a field: its path is the prefix.
  void add_without_field(std::string_view detail) { add(invalid(below(prefix, {}), "", detail)); }
  void take(Report&& other) {
    problems.insert(problems.end(), std::make_move_iterator(other.problems.begin()),
                    std::make_move_iterator(other.problems.end()));
  }
};

/// The outcome of a part of a check. `matches` counts the checks that were passed: if all branches failed,
/// the API server reports the one with most.
struct Outcome {
  bool ok = true;
  int matches = 0;

  void add(const Outcome& part) {
    ok = ok && part.ok;
    matches += part.matches;
  }
};

}  // namespace fairway::schema::internal
