// SPDX-License-Identifier: Apache-2.0

// The variables of the tables of cases.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "cel/checker/checker.h"
#include "cel/checker/environment.h"
#include "cel/eval/program.h"

namespace fairway::test {

/// An environment for tests. Variables: s: "hello world", i: 5, b: true, ls: ["a", "bb", "ccc"], li: [1, 2,
/// 3, 4], m: {"a": {"x": "y"}}, d: any; and `self`, an object as a CRD has it. Sizes for estimates: s 50, ls
/// 100 of 20 each, li 100, m 100.
struct CelFixture {
  CelFixture();

  cel::Environment environment;
  std::vector<json::Value> documents;
  cel::Scratch scratch;
  std::vector<cel::Value> values;
};

/// Returns the result as text, or "error: ..." of the parser, the checker or the evaluation.
std::string evaluate_text(CelFixture& fixture, const std::string& expression, bool checked,
                          cel::Outcome* outcome = nullptr);

}  // namespace fairway::test
