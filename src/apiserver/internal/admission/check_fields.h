// SPDX-License-Identifier: Apache-2.0

// Validation that webhooks and policies have in common.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/internal/admission/expression.h"
#include "k8s/view.h"
#include "k8s/wire/field_error.h"

namespace fairway::apiserver::admission {

/// Collects the problems of an object.
/// Rules: k8s.io/kubernetes/pkg/apis/admissionregistration/validation.
class FieldCheck {
 public:
  std::vector<k8s::FieldError> take() { return std::move(errors_); }

  void required(std::string_view path, std::string_view detail = {}) {
    errors_.push_back(k8s::FieldError::required(path, detail));
  }
  void invalid(std::string_view path, const json::Value& value, std::string_view detail) {
    errors_.push_back(k8s::FieldError::invalid(path, value, detail));
  }
  void forbidden(std::string_view path, std::string_view detail) {
    errors_.push_back(k8s::FieldError::forbidden(path, detail));
  }
  void duplicate(std::string_view path, std::string_view value) {
    errors_.push_back(k8s::FieldError::duplicate(path, json::Value(value)));
  }
  void add(k8s::FieldError error) { errors_.push_back(std::move(error)); }

  /// Checks that a member, if present, has one of the `supported` values; with `is_required` it has to be
  /// present.
  void one_of(const k8s::View& of, std::string_view member, const std::string& path, bool is_required,
              const std::vector<std::string_view>& supported);
  /// Checks a rule with its operations. `path` is its own. `is_named`: it may have names of resources.
  void rule(const k8s::View& rule, const std::string& path, bool is_named);
  /// Checks a label selector. `is_strict`: values of labels have to be valid, too.
  void selector(const k8s::View& of, std::string_view member, const std::string& path, bool is_strict);
  void match_conditions(const k8s::View& of, const std::string& path, bool has_params);
  /// Checks a MatchResources.
  void match_resources(const k8s::View& of, const std::string& path);
  /// Checks an expression that is not empty.
  void expression(const Expression& compiled, const std::string& path);

 private:
  void resources(const k8s::View& rule, const std::string& path);

  std::vector<k8s::FieldError> errors_;
};

/// Returns the path of an item: "webhooks[2]".
std::string at_index(std::string_view path, std::size_t index);
bool is_blank(std::string_view text);

/// Returns the problems of a Mutating- or ValidatingWebhookConfiguration; `old` is null for a create.
std::vector<k8s::FieldError> check_webhooks(const k8s::View& configuration, const k8s::View* old);
/// Returns the problems of a ValidatingAdmissionPolicy, and of a binding.
std::vector<k8s::FieldError> check_policy(const k8s::View& policy, const k8s::View* old);
std::vector<k8s::FieldError> check_policy_binding(const k8s::View& binding, bool is_mutating);
/// Returns the problems of a MutatingAdmissionPolicy, except for those of its mutations' expressions, which
/// are never evaluated here.
std::vector<k8s::FieldError> check_mutating_policy(const k8s::View& policy, const k8s::View* old);

}  // namespace fairway::apiserver::admission
