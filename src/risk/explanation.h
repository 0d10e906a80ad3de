// Why a query of a risk gives what it gives: the result of each of its parts.
#pragma once

#include <cstddef>
#include <expected>
#include <functional>
#include <string>
#include <vector>

#include "promql/engine/engine.h"
#include "risk/condition.h"

namespace fairway::risk {

/// A part of a query that is evaluated by itself.
struct Branch {
  std::string query;  ///< canonical text
  /// How many parts it lies within.
  std::size_t depth = 0;
  promql::Value value;
  std::string error;  ///< why there is no value; empty otherwise
};

/// A metric that a query names.
struct NamedMetric {
  std::string name;
  /// How many series there are at the time of the query, or in the longest of the ranges that it looks at.
  std::size_t series = 0;
  std::string error;  ///< why that is not known; empty otherwise
};

struct Explanation {
  /// The query itself, then its parts, each before those within it. Constants are left out, and so is what
  /// lies within a subquery, which is evaluated at other times.
  std::vector<Branch> branches;
  /// How many parts were not looked at, beyond the first hundred.
  std::size_t left_out = 0;
  std::vector<NamedMetric> metrics;  ///< by name
};

/// Evaluates a part of the question, whose canonical text is given too, or says why it cannot.
using EvaluatePart =
    std::function<std::expected<promql::Value, std::string>(const promql::Expression&, const std::string&)>;

/// Evaluates a question's query part by part.
Explanation explain(const Question& question, const EvaluatePart& evaluate);

}  // namespace fairway::risk
