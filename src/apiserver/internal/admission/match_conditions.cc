// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/admission/match_conditions.h"

#include <array>

#include "base/text.h"

namespace fairway::apiserver::admission {

MatchConditions::MatchConditions(const k8s::View& of, const Declarations& declarations) {
  static constexpr std::array results{cel::TypeKind::boolean};
  for (const k8s::View& condition : of.items("matchConditions")) {
    conditions_.push_back(compile_expression(condition.text("expression"), declarations, results));
  }
}

std::expected<bool, std::string> MatchConditions::match(const Inputs& inputs,
                                                        const std::vector<Expression>& variables,
                                                        bool ignore_errors) const {
  Evaluation evaluation(inputs, variables, match_conditions_budget);
  std::vector<std::string> errors;
  for (const Expression& condition : conditions_) {
    auto evaluated = evaluation.evaluate(condition);
    if (!evaluated) {
      // None of them counts then.
      errors = {std::move(evaluated.error())};
      break;
    }
    if (!evaluated->error.empty()) {
      errors.push_back(std::move(evaluated->error));
    } else if (!evaluated->value.is_true()) {
      return false;
    }
  }
  if (errors.empty()) return true;
  if (ignore_errors) return false;
  return std::unexpected(errors.size() == 1 ? errors.front() : "[" + join(errors, ", ") + "]");
}

}  // namespace fairway::apiserver::admission
