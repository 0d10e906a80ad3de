// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/admission/policy.h"

#include <utility>

#include "validation_rules/rule_text.h"

namespace fairway::apiserver::admission {

namespace {

using validation_rules::trimmed;

constexpr std::size_t longest_message = 5 * 1024, longest_annotation = 10 * 1024;

std::optional<k8s::GroupVersionKind> param_kind_of(const k8s::View& spec) {
  if (!spec.has("paramKind")) return std::nullopt;
  const auto version = k8s::GroupVersion::parse(spec.text("paramKind.apiVersion"));
  const std::string kind(spec.text("paramKind.kind"));
  return version ? k8s::GroupVersionKind{version->group, version->version, kind}
                 : k8s::GroupVersionKind{"", "", kind};
}

}  // namespace

Declarations declarations_of(const k8s::View& spec) {
  return {.params = spec.has("paramKind"), .authorizer = true, .variables = {}};
}

Policy::Policy(const k8s::Dynamic& policy)
    : name_(policy.name()),
      ignores_failures_(policy.text("spec.failurePolicy") == "Ignore"),
      param_kind_(param_kind_of(policy.at("spec"))),
      constraints_(policy.at("spec.matchConstraints"), "resourceRules", true) {
  const k8s::View spec = policy.at("spec");
  Declarations declarations = declarations_of(spec);
  for (const k8s::View& variable : spec.items("variables")) {
    Expression made = compile_expression(variable.text("expression"), declarations, {});
    made.name = variable.text("name");
    declarations.variables.push_back({made.name, made.type});
    variables_.push_back(std::move(made));
  }
  if (!spec.items("matchConditions").empty()) conditions_.emplace_back(spec, declarations);
  Declarations of_messages = declarations;
  of_messages.authorizer = false;
  for (const k8s::View& validation : spec.items("validations")) {
    Validation made;
    made.rule = compile_expression(validation.text("expression"), declarations, of_boolean);
    if (const std::string_view message = validation.text("messageExpression"); !message.empty()) {
      made.message_rule = compile_expression(message, of_messages, of_text);
    }
    made.message = trimmed(validation.text("message"));
    made.reason = validation.text("reason");
    validations_.push_back(std::move(made));
  }
  for (const k8s::View& annotation : spec.items("auditAnnotations")) {
    annotations_.push_back(
        {std::string(annotation.text("key")),
         compile_expression(annotation.text("valueExpression"), declarations, of_text_or_null)});
  }
}

void Policy::fail_with(PolicyVerdict& verdict, std::string message) const {
  if (!ignores_failures_) verdict.denials.push_back({.message = std::move(message)});
}

PolicyVerdict Policy::evaluate(const Inputs& inputs) const {
  PolicyVerdict verdict;
  for (const MatchConditions& conditions : conditions_) {
    const auto holds = conditions.match(inputs, variables_, ignores_failures_);
    if (!holds) fail_with(verdict, holds.error());
    if (!holds || !*holds) return verdict;
  }
  validate(inputs, verdict);
  annotate(inputs, verdict);
  return verdict;
}

void Policy::validate(const Inputs& inputs, PolicyVerdict& verdict) const {
  Evaluation evaluation(inputs, variables_, policy_budget);
  PolicyVerdict found;
  std::vector<std::size_t> failed;  // places of denials that may have a message of their own
  for (std::size_t i = 0; i < validations_.size(); ++i) {
    const auto evaluated = evaluation.evaluate(validations_[i].rule);
    if (!evaluated) return fail_with(verdict, evaluated.error());
    if (!evaluated->error.empty()) {
      if (ignores_failures_) continue;
      found.denials.push_back({.index = static_cast<int>(i), .message = evaluated->error});
    } else if (!evaluated->value.is_true()) {
      const Validation& validation = validations_[i];
      failed.push_back(found.denials.size());
      found.denials.push_back(
          {.index = static_cast<int>(i),
           .message = validation.message.empty()
                          ? "failed expression: " + std::string(trimmed(validation.rule.source))
                          : validation.message,
           .reason = validation.reason});
    }
  }
  Evaluation messages(inputs, variables_, evaluation.budget());
  for (const std::size_t place : failed) {
    PolicyVerdict::Denial& denial = found.denials[place];
    const auto& rule = validations_[static_cast<std::size_t>(denial.index)].message_rule;
    if (!rule) continue;
    const auto evaluated = messages.evaluate(*rule);
    if (!evaluated) return fail_with(verdict, "failed messageExpression: " + evaluated.error());
    if (!evaluated->error.empty() || !evaluated->value.is(cel::ValueKind::string)) continue;
    const std::string_view text = trimmed(evaluated->value.text());
    // A text that is not a valid message is ignored, as if there were no expression.
    if (text.empty() || text.size() > longest_message || text.find('\n') != std::string_view::npos) continue;
    denial.message = text;
  }
  for (PolicyVerdict::Denial& denial : found.denials) verdict.denials.push_back(std::move(denial));
}

void Policy::annotate(const Inputs& inputs, PolicyVerdict& verdict) const {
  if (annotations_.empty()) return;
  Evaluation evaluation(inputs, variables_, policy_budget);
  for (const AuditAnnotation& annotation : annotations_) {
    const auto evaluated = evaluation.evaluate(annotation.value);
    if (!evaluated) return fail_with(verdict, evaluated.error());
    if (!evaluated->error.empty()) {
      if (!ignores_failures_) verdict.annotation_errors.push_back(evaluated->error);
      continue;
    }
    if (!evaluated->value.is(cel::ValueKind::string)) continue;
    const std::string_view text = trimmed(evaluated->value.text()).substr(0, longest_annotation);
    if (!text.empty()) verdict.annotations.push_back({annotation.key, std::string(text)});
  }
}

}  // namespace fairway::apiserver::admission
