// SPDX-License-Identifier: Apache-2.0

// Whatever the expression: no crash, no endless loop, the same answer and cost twice, and what it is printed
// as parses to the same tree.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "cel/checker/checker.h"
#include "cel/cost/estimate.h"
#include "cel/eval/program.h"
#include "cel/internal/syntax/printer.h"
#include "cel/syntax/parser.h"

namespace {

using namespace fairway;
using namespace fairway::cel;

std::string answer(const Expression& expression, const Environment& environment, const Checked* checked,
                   const std::vector<Value>& values) {
  Scratch scratch(std::size_t{4} << 20);
  const Program program(expression, environment, checked);
  const Outcome outcome = program.evaluate(values, scratch, 20'000);
  return std::to_string(outcome.cost) + to_string(outcome.value, scratch);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 4096) return 0;
  const std::string_view source(reinterpret_cast<const char*>(data), size);
  const auto parsed = parse(source);
  if (!parsed) {
    if (to_string(parsed.error(), source).empty()) std::abort();
    return 0;
  }
  const std::string printed = print(**parsed);
  const auto again = parse(printed);
  if (!again || !same_tree(**parsed, **again)) std::abort();

  static const json::Value document =
      json::parse(R"({"s": "text", "n": 3, "l": [1, 2, 3], "m": {"k": {"x": [null, true, 1.5]}}})").value();
  Environment environment(kubernetes_functions());
  environment.declare("self", simple_type(TypeKind::dyn));
  Scratch scratch;
  const std::vector<Value> values = {Value::of_json(document, scratch)};
  const auto checked = check(**parsed, environment);
  const Checked* types = checked ? &*checked : nullptr;
  if (types) {
    const CostEstimate estimate = estimate_cost(**parsed, environment, *types);
    if (estimate.min > estimate.max) std::abort();
  }
  if (answer(**parsed, environment, types, values) != answer(**parsed, environment, types, values))
    std::abort();
  return 0;
}
