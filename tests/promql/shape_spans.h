// SPDX-License-Identifier: Apache-2.0

// The parts of queries that a check of their shape finds, in the form of tables of cases.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "promql/guard/verdict_shape.h"
#include "promql/parser/parser.h"

namespace fairway::promql {

/// Returns the texts of the query that faults name, joined by `; `.
inline std::string spans_of(std::vector<ShapeFault> (*check)(const Expression&), const std::string& query) {
  const auto parsed = parse(query);
  if (!parsed) return "no PromQL: " + parsed.error().message;
  std::string spans;
  for (const ShapeFault& fault : check(**parsed)) {
    if (!spans.empty()) spans += "; ";
    spans += query.substr(fault.span.start, fault.span.end - fault.span.start);
    EXPECT_FALSE(fault.message.empty() || fault.fix.empty());
  }
  return spans;
}

}  // namespace fairway::promql
