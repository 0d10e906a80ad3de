// SPDX-License-Identifier: Apache-2.0

// One ValidatingAdmissionPolicy, and its bindings.
#pragma once

#include <array>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/internal/admission/attributes.h"
#include "apiserver/internal/admission/constraints.h"
#include "apiserver/internal/admission/evaluation.h"
#include "apiserver/internal/admission/match_conditions.h"
#include "k8s/status.h"

namespace fairway::apiserver::admission {

/// Types that expressions of a policy may evaluate to.
inline constexpr std::array of_boolean{cel::TypeKind::boolean};
inline constexpr std::array of_text{cel::TypeKind::string};
inline constexpr std::array of_text_or_null{cel::TypeKind::string, cel::TypeKind::null_type};

/// The result of a policy for a write, with one set of parameters.
struct PolicyVerdict {
  struct Denial {
    /// Index of the validation; -1: the policy could not be evaluated.
    int index = -1;
    std::string message;
    /// Reason of the Status; empty: Invalid.
    std::string reason;
  };
  struct Annotation {
    std::string key, value;
  };
  std::vector<Denial> denials;
  std::vector<Annotation> annotations;
  /// Errors of audit annotations that could not be evaluated. Such a write is denied, whatever the binding's
  /// actions.
  std::vector<std::string> annotation_errors;
};

/// A ValidatingAdmissionPolicy. Immutable, and safe from all threads.
/// Rules: k8s.io/apiserver/pkg/admission/plugin/policy/validating.
class Policy {
 public:
  explicit Policy(const k8s::Dynamic& policy);

  const std::string& name() const { return name_; }
  bool ignores_failures() const { return ignores_failures_; }
  const std::optional<k8s::GroupVersionKind>& param_kind() const { return param_kind_; }
  k8s::StatusResult<std::optional<Matched>> match(const Attributes& attributes,
                                                  const Sources& sources) const {
    return constraints_.match(attributes, sources);
  }
  /// Evaluates the policy with the params and the namespace of `inputs`.
  PolicyVerdict evaluate(const Inputs& inputs) const;

 private:
  struct Validation {
    Expression rule;
    std::optional<Expression> message_rule;
    std::string message, reason;
  };
  struct AuditAnnotation {
    std::string key;
    Expression value;
  };

  void fail_with(PolicyVerdict& verdict, std::string message) const;
  void validate(const Inputs& inputs, PolicyVerdict& verdict) const;
  void annotate(const Inputs& inputs, PolicyVerdict& verdict) const;

  std::string name_;
  bool ignores_failures_;
  std::optional<k8s::GroupVersionKind> param_kind_;
  Constraints constraints_;
  std::vector<Expression> variables_;
  std::vector<MatchConditions> conditions_;  ///< one, or none
  std::vector<Validation> validations_;
  std::vector<AuditAnnotation> annotations_;
};

/// Returns the declarations of a policy's expressions, without its variables.
Declarations declarations_of(const k8s::View& spec);

class PolicyBinding {
 public:
  explicit PolicyBinding(const k8s::Dynamic& binding);

  const std::string& name() const { return name_; }
  const std::string& policy() const { return policy_; }
  bool has_action(std::string_view action) const;
  const std::vector<std::string>& actions() const { return actions_; }
  k8s::StatusResult<bool> match(const Attributes& attributes, const Sources& sources) const;

  /// Returns the objects that the policy is evaluated with; a null stands for no parameters. An error is one
  /// of the configuration.
  std::expected<std::vector<json::Value>, std::string> find_params(
      const Policy& policy, const resources::ServedResource* param_resource, const Attributes& attributes,
      const Sources& sources) const;

 private:
  std::string name_, policy_;
  std::vector<std::string> actions_;
  std::optional<Constraints> constraints_;
  bool has_params_, denies_without_;
  std::string param_name_, param_namespace_;
  bool has_selector_;
  Result<k8s::LabelSelector> param_selector_;
};

}  // namespace fairway::apiserver::admission
