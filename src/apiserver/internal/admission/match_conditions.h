// SPDX-License-Identifier: Apache-2.0

// The `matchConditions` of a webhook or a policy.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "apiserver/internal/admission/evaluation.h"
#include "apiserver/internal/admission/expression.h"
#include "k8s/view.h"

namespace fairway::apiserver::admission {

/// The match conditions of a webhook or policy.
/// Rules: k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions.
class MatchConditions {
 public:
  /// Compiles the conditions of `of`.
  MatchConditions(const k8s::View& of, const Declarations& declarations);

  bool empty() const { return conditions_.empty(); }
  /// Returns whether all conditions hold. An error: some could not be evaluated, and none of the others is
  /// false. Such a write is refused, or does not match if `ignore_errors`.
  std::expected<bool, std::string> match(const Inputs& inputs, const std::vector<Expression>& variables,
                                         bool ignore_errors) const;

 private:
  std::vector<Expression> conditions_;
};

}  // namespace fairway::apiserver::admission
