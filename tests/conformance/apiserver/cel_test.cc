// SPDX-License-Identifier: Apache-2.0

// Random expressions beside cel-go in Kubernetes's environment: what is accepted, what comes of it, and what
// it costs.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "cel/checker/checker.h"
#include "cel/checker/environment.h"
#include "cel/eval/program.h"
#include "cel/syntax/parser.h"
#include "conformance/apiserver/programs.h"

namespace fairway::cel {
namespace {

/// The variables of cel-random.
class Variables {
 public:
  Variables() {
    const TypePtr text = simple_type(TypeKind::string), number = simple_type(TypeKind::integer);
    put("s", text, R"("hello world")");
    put("i", number, "5");
    put("b", simple_type(TypeKind::boolean), "true");
    put("ls", list_of(text), R"(["a", "bb", "ccc"])");
    put("li", list_of(number), "[1, 2, 3, 4]");
    put("m", map_of(text, map_of(text, text)), R"({"a": {"x": "y"}})");
  }

  Environment environment{kubernetes_functions()};
  Scratch scratch;
  std::vector<Value> values;

 private:
  void put(const char* name, const TypePtr& type, const char* document) {
    environment.declare(name, type);
    documents_.push_back(std::make_unique<json::Value>(json::parse(document).value()));
    values.push_back(Value::of_json(*documents_.back(), *type, scratch));
  }
  std::vector<std::unique_ptr<json::Value>> documents_;
};

/// Returns the difference; empty if there is none.
std::string compare(const json::Value& wanted, std::map<std::string, int>& counts, int& more_costly) {
  Variables variables;
  const std::string expression(json::find_string(wanted, "expression").value());
  const auto refused = json::find_string(wanted, "refused"), failed = json::find_string(wanted, "error");
  const auto tree = parse(expression);
  const auto checked = tree ? std::optional(check(**tree, variables.environment)) : std::nullopt;
  const bool accepted = checked && *checked;
  if (refused || !accepted) {
    ++counts["refused"];
    if (refused && !accepted) return {};
    return refused ? "cel-go refuses it: " + std::string(*refused) : "it is refused here";
  }
  const Program program(**tree, variables.environment, &**checked);
  const Outcome outcome = program.evaluate(variables.values, variables.scratch);
  const std::string made = to_string(outcome.value, variables.scratch);
  // Here it fails where it is evaluated, if it is.
  if (json::find(wanted, "constant") != nullptr) {
    ++counts["constants that fail, which cel-go refuses before it evaluates anything"];
    return {};
  }
  if (failed) {
    ++counts["errors"];
    return made.starts_with("error") ? std::string()
                                     : "an error is wanted (" + std::string(*failed) + "): " + made;
  }
  ++counts["values"];
  const auto value = json::find_string(wanted, "value").value();
  if (made != value) return "wanted " + std::string(value) + ", made " + made;
  // Constants inside of macros, and variables that are not used, cost less in cel-go.
  const auto cost = wanted.at("cost").to_number<std::uint64_t>();
  if (outcome.cost < cost)
    return "costs " + std::to_string(outcome.cost) + ", in cel-go " + std::to_string(cost);
  if (outcome.cost > cost) ++more_costly;
  return {};
}

TEST(CelExpressions, GiveWhatCelGoGives) {
  const int count = conformance::everything() ? 200'000 : 20'000;
  int more_costly = 0;
  auto [counts, differences] = conformance::compare_cases(
      "cel-random", {std::to_string(conformance::seed()), std::to_string(count)}, {"expression"},
      [&](const json::Value& test, std::map<std::string, int>& sorts) {
        return compare(test, sorts, more_costly);
      });
  int total = 0;
  for (const auto& [what, number] : counts) total += number;
  std::printf("%7d of the values cost more here\n", more_costly);
  EXPECT_EQ(differences, 0);
  EXPECT_EQ(total, count);
  EXPECT_GT(counts["values"], count / 3);
}

}  // namespace
}  // namespace fairway::cel
