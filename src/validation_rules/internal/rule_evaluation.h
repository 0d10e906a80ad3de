// SPDX-License-Identifier: Apache-2.0

// One object, or a part of one, under the rules of its schema.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "base/json.h"
#include "cel/eval/program.h"
#include "cel/values/scratch.h"
#include "schema/problem.h"
#include "validation_rules/internal/rule_node.h"

namespace fairway::validation_rules {

class RuleEvaluation {
 public:
  /// Begins an evaluation. `prefix`: the path of the evaluated part; empty for an object.
  explicit RuleEvaluation(std::string prefix = {}) : prefix_(std::move(prefix)) {}

  /// Evaluates the rules for `value`. `old`: the value that it replaces, or nullptr. With
  /// `tolerates_unchanged`, a problem that existed before in an unchanged value is none.
  void validate(const RuleNode& node, const json::Value& value, const json::Value* old,
                bool tolerates_unchanged);
  schema::Violations take() { return std::move(problems_); }

 private:
  struct Place;
  struct Correlation;

  /// Evaluates the rules of a node and those below it. Returns false once the budget is used up: evaluation
  /// ends.
  bool visit(const RuleNode& node, const Place& place, const json::Value& value, const json::Value* old,
             const Correlation& correlation);
  bool visit_items(const RuleNode& node, const Place& place, const json::Array& array, const json::Value* old,
                   const Correlation& correlation);
  bool visit_members(const RuleNode& node, const Place& place, const json::Object& object,
                     const json::Value* old, const Correlation& correlation);
  bool evaluate_all(const RuleNode& node, const Place& place, const json::Value& value,
                    const json::Value* old, const Correlation& correlation);
  bool evaluate(const RuleNode& node, const RuleProgram& rule, const Place& place, const json::Value& value,
                const json::Value* old, const Correlation& correlation);
  /// Adds the problem of a rule that is not satisfied. `variables` are those of its evaluation.
  bool report(const RuleNode& node, const RuleProgram& rule, const Place& place, const json::Value& value,
              std::span<const cel::Value> variables, const Correlation& correlation);
  bool out_of_budget(const RuleNode& node, const Place& place);

  std::string text(const Place& place) const;

  std::string prefix_;
  schema::Violations problems_;
  std::int64_t budget_ = static_cast<std::int64_t>(cel::per_object_cost_limit);
  cel::Scratch scratch_;
};

}  // namespace fairway::validation_rules
