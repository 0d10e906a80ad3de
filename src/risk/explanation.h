// SPDX-License-Identifier: Apache-2.0

// An explanation of the result of a risk's query: the result of each of its parts.
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
  /// Number of parts that it lies within.
  std::size_t depth = 0;
  promql::Value value;
  std::string error;  ///< reason why there is no value; empty otherwise
};

/// A metric that a query names.
struct NamedMetric {
  std::string name;
  /// Number of series at the time of the query, or in the longest of the ranges that it reads.
  std::size_t series = 0;
  std::string error;  ///< reason why that is not known; empty otherwise
};

struct Explanation {
  /// Parts of the query: the query itself, then its parts, each before those within it. Constants are left
  /// out, and so are parts of a subquery, which is evaluated at other times.
  std::vector<Branch> branches;
  /// Number of parts beyond the first hundred, which were not evaluated.
  std::size_t left_out = 0;
  std::vector<NamedMetric> metrics;  ///< sorted by name
};

/// Evaluates a part of the question, whose canonical text is also given, or returns the reason why it cannot.
using EvaluatePart =
    std::function<std::expected<promql::Value, std::string>(const promql::Expression&, const std::string&)>;

/// Evaluates a question's query part by part.
Explanation explain(const Question& question, const EvaluatePart& evaluate);

}  // namespace fairway::risk
