// SPDX-License-Identifier: Apache-2.0

// Evaluates expressions on one write.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <vector>

#include "apiserver/internal/admission/attributes.h"
#include "apiserver/internal/admission/constraints.h"
#include "apiserver/internal/admission/expression.h"
#include "base/json.h"
#include "cel/library/authorizer.h"
#include "cel/values/scratch.h"
#include "cel/values/value.h"

namespace fairway::apiserver::admission {

/// Kubernetes's cost budgets, each for all expressions of one set.
inline constexpr std::int64_t match_conditions_budget = 2'500'000, policy_budget = 10'000'000;

/// The values that expressions see.
struct Inputs {
  /// Values of the variables; null if there is none.
  json::Value object, old_object, params, namespace_object;
  json::Value request;
  /// Decides on the questions of `authorizer`; null: naming it is an error.
  const cel::Authorizer* authorizer = nullptr;
  /// The resource of `authorizer.requestResource`; its texts outlive this.
  cel::AuthorizedResource resource;
};

/// Returns the inputs for a write, without params and namespaceObject. `object` and `old` are in the version
/// of `matched`.
Inputs inputs_of(const Attributes& attributes, const Matched& matched, const json::Object* object,
                 const json::Object* old);

/// The result of an expression. The value lives as long as the evaluation.
struct Evaluated {
  cel::Value value;
  /// Error of the expression; if not empty, there is no value.
  std::string error;
};

/// The evaluation of one set of expressions, with one budget. A variable of the policy is evaluated once,
/// when an expression names it.
class Evaluation {
 public:
  /// Begins an evaluation. `inputs` and `variables` must outlive it.
  Evaluation(const Inputs& inputs, std::span<const Expression> variables, std::int64_t budget);

  /// Evaluates an expression. An error ends the whole set: the budget is spent.
  std::expected<Evaluated, std::string> evaluate(const Expression& expression);
  std::int64_t budget() const { return budget_; }

 private:
  void find_variable(std::size_t index);
  cel::Outcome run(const Expression& expression);

  const std::span<const Expression> variables_;
  cel::Scratch scratch_;
  std::vector<cel::Value> values_;
  std::vector<bool> known_;
  std::int64_t budget_;
  /// Cost of variables since the last expression.
  std::int64_t spent_ = 0;
};

}  // namespace fairway::apiserver::admission
