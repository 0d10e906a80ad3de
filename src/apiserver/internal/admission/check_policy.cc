// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>

#include "apiserver/internal/admission/check_fields.h"
#include "apiserver/internal/admission/policy.h"
#include "base/text.h"
#include "k8s/equality.h"
#include "k8s/names.h"
#include "validation_rules/rule_text.h"

namespace fairway::apiserver::admission {

namespace {

using cel::TypeKind;
using validation_rules::trimmed;

constexpr std::size_t most_annotations = 20, longest_value_expression = 5 * 1024;

bool is_identifier(std::string_view name) {
  constexpr std::array<std::string_view, 21> reserved{
      "true",     "false",   "null",      "in",       "as",  "break",  "const",
      "continue", "else",    "for",       "function", "if",  "import", "let",
      "loop",     "package", "namespace", "return",   "var", "void",   "while"};
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  const bool begins = !name.empty() && !(name.front() >= '0' && name.front() <= '9');
  return begins && std::ranges::all_of(name, fits) && std::ranges::find(reserved, name) == reserved.end();
}

void check_param_kind(FieldCheck& check, const k8s::View& kind) {
  const std::string at_version = "spec.paramKind.apiVersion", at_kind = "spec.paramKind.kind";
  const std::string_view text = kind.text("apiVersion"), name = kind.text("kind");
  const std::size_t slash = text.find('/');
  const std::string_view group = slash == std::string_view::npos ? "" : text.substr(0, slash),
                         version = slash == std::string_view::npos ? text : text.substr(slash + 1);
  if (text.empty()) {
    check.required(at_version);
  } else if (version.find('/') != std::string_view::npos) {
    check.invalid(at_version, json::Value(text), "unexpected GroupVersion string: " + std::string(text));
  } else {
    if (!group.empty()) {
      if (const auto faults = k8s::check_dns_subdomain(group); !faults.empty()) {
        check.invalid(at_version, json::Value(group), join(faults, ","));
      }
    }
    if (version.empty()) {
      check.invalid(at_version, json::Value(text), "version must be specified");
    } else if (const auto faults = k8s::check_dns_1035_label(version); !faults.empty()) {
      check.invalid(at_version, json::Value(version), join(faults, ","));
    }
  }
  if (name.empty()) return check.required(at_kind);
  if (const auto faults = k8s::check_dns_1035_label(to_lower(name)); !faults.empty()) {
    check.invalid(at_kind, json::Value(name),
                  "may have mixed case, but should otherwise match: " + join(faults, ","));
  }
}

void check_variable(FieldCheck& check, const k8s::View& variable, const std::string& path,
                    Declarations& declarations) {
  const std::string_view name = variable.text("name"), source = variable.text("expression");
  if (is_blank(name)) {
    check.required(path + ".name", "name is not specified");
  } else if (!is_identifier(name)) {
    check.invalid(path + ".name", json::Value(name), "must be a valid CEL identifier");
  }
  if (is_blank(source)) return check.required(path + ".expression", "expression is not specified");
  const Expression compiled = compile_expression(source, declarations, {});
  check.expression(compiled, path + ".expression");
  if (!name.empty()) declarations.variables.push_back({std::string(name), compiled.type});
}

void check_validation(FieldCheck& check, const k8s::View& validation, const std::string& path,
                      const Declarations& declarations) {
  const std::string_view source = validation.text("expression"), message = validation.text("message"),
                         message_source = validation.text("messageExpression");
  if (is_blank(source)) {
    check.required(path + ".expression", "expression is not specified");
  } else {
    check.expression(compile_expression(source, declarations, of_boolean), path + ".expression");
  }
  if (!message_source.empty() && is_blank(message_source)) {
    check.invalid(path + ".messageExpression", json::Value(message_source), "must be non-empty if specified");
  } else if (!message_source.empty()) {
    Declarations of_messages = declarations;
    of_messages.authorizer = false;
    check.expression(compile_expression(message_source, of_messages, of_text), path + ".messageExpression");
  }
  if (!message.empty() && is_blank(message)) {
    check.invalid(path + ".message", json::Value(message), "must be non-empty if specified");
  } else if (trimmed(message).find_first_of("\r\n") != std::string_view::npos) {
    check.invalid(path + ".message", json::Value(message), "must not contain line breaks");
  }
  check.one_of(validation, "reason", path, false, {"Forbidden", "Invalid", "RequestEntityTooLarge"});
}

void check_annotation(FieldCheck& check, const k8s::View& annotation, const std::string& path,
                      std::string_view policy, const Declarations& declarations) {
  const std::string_view key = annotation.text("key"), given = annotation.text("valueExpression"),
                         source = trimmed(given);
  if (policy.empty()) {
    check.invalid(path + ".key", json::Value(key), "requires metadata.name be non-empty");
  } else {
    const std::string whole = std::string(policy) + "/" + std::string(key);
    for (const std::string& fault : k8s::check_qualified_name(whole)) {
      check.invalid(path + ".key", json::Value(whole), fault);
    }
  }
  const std::string at = path + ".valueExpression";
  if (source.empty()) return check.required(at, "valueExpression is not specified");
  if (source.size() > longest_value_expression) {
    return check.required(at,
                          "must not exceed " + std::to_string(longest_value_expression) + " bytes in length");
  }
  const Expression compiled = compile_expression(source, declarations, of_text_or_null);
  if (!compiled.error.empty()) check.invalid(at, json::Value(given), compiled.error);
}

void check_results(FieldCheck& check, const k8s::View& spec, std::string_view policy,
                   const Declarations& declarations) {
  const auto validations = spec.items("validations"), annotations = spec.items("auditAnnotations");
  if (validations.empty() && annotations.empty()) {
    constexpr std::string_view why = "validations or auditAnnotations must contain at least one item";
    check.required("spec.validations", why);
    check.required("spec.auditAnnotations", why);
    return;
  }
  for (std::size_t i = 0; i < validations.size(); ++i) {
    check_validation(check, validations[i], at_index("spec.validations", i), declarations);
  }
  if (annotations.size() > most_annotations) {
    check.invalid("spec.auditAnnotations", *spec.find("auditAnnotations"),
                  "must not have more than " + std::to_string(most_annotations) + " auditAnnotations");
  }
  std::set<std::string_view> keys;
  for (std::size_t i = 0; i < annotations.size(); ++i) {
    const std::string path = at_index("spec.auditAnnotations", i);
    check_annotation(check, annotations[i], path, policy, declarations);
    const std::string_view key = annotations[i].text("key");
    if (!keys.insert(key).second) check.duplicate(path + ".key", key);
  }
}

void check_param_ref(FieldCheck& check, const k8s::View& spec) {
  if (!spec.has("paramRef")) return;
  const k8s::View ref = spec.at("paramRef");
  const std::string_view name = ref.text("name"), action = ref.text("parameterNotFoundAction");
  constexpr std::string_view exclusive = "name and selector are mutually exclusive";
  if (!name.empty()) {
    for (const std::string& fault : k8s::check_path_segment(name)) {
      check.invalid("spec.paramRef.name", json::Value(name), fault);
    }
    if (ref.has("selector")) check.forbidden("spec.paramRef.name", exclusive);
  }
  if (ref.has("selector")) {
    check.selector(ref, "selector", "spec.paramRef.selector", true);
    if (!name.empty()) check.forbidden("spec.paramRef.selector", exclusive);
  } else if (name.empty()) {
    check.required("spec.paramRef", "one of name or selector must be specified");
  }
  if (action.empty()) {
    check.required("spec.paramRef.parameterNotFoundAction");
  } else {
    check.one_of(ref, "parameterNotFoundAction", "spec.paramRef", false, {"Deny", "Allow"});
  }
}

void check_actions(FieldCheck& check, const k8s::View& spec) {
  const std::vector<std::string_view> supported{"Audit", "Deny", "Warn"};
  const std::string path = "spec.validationActions";
  const auto actions = spec.texts("validationActions");
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    if (std::ranges::find(supported, actions[i]) == supported.end()) {
      check.add(k8s::FieldError::not_supported(at_index(path, i), json::Value(actions[i]), supported));
    }
    if (!seen.insert(actions[i]).second) check.duplicate(at_index(path, i), actions[i]);
  }
  if (seen.contains("Deny") && seen.contains("Warn")) {
    check.invalid(path, *spec.find("validationActions"),
                  "must not contain both Deny and Warn (repeating the same validation failure information in "
                  "the API response and headers serves no purpose)");
  }
  if (seen.empty()) check.required(path, "");
}

/// Checks that the rules of a policy that mutates have no DELETE: a deleted object cannot be changed.
void check_mutating_operations(FieldCheck& check, const k8s::View& spec, std::string_view member) {
  const std::vector<std::string_view> supported{"*", "CONNECT", "CREATE", "UPDATE"};
  for (const k8s::View& rule : spec.at(member).items("resourceRules")) {
    for (const std::string_view operation : rule.texts("operations")) {
      if (std::ranges::find(supported, operation) != supported.end()) continue;
      check.add(k8s::FieldError::not_supported("spec." + std::string(member) + ".resourceRules.operations",
                                               json::Value(operation), supported));
    }
  }
}

/// Checks the parts that validating and mutating policies have in common. Returns the names that their
/// expressions may use.
Declarations check_selection(FieldCheck& check, const k8s::View& policy, const k8s::View* old,
                             bool is_mutating) {
  const k8s::View spec = policy.at("spec");
  check.one_of(spec, "failurePolicy", "spec", true, {"Fail", "Ignore"});
  if (spec.has("paramKind")) check_param_kind(check, spec.at("paramKind"));
  if (!spec.has("matchConstraints")) {
    check.required("spec.matchConstraints");
  } else {
    check.match_resources(spec.at("matchConstraints"), "spec.matchConstraints");
    if (spec.items("matchConstraints.resourceRules").empty()) {
      check.required("spec.matchConstraints.resourceRules");
    }
    if (is_mutating) check_mutating_operations(check, spec, "matchConstraints");
  }
  const bool has_old_conditions = old != nullptr &&
                                  k8s::equal_with_null_as_absent(policy, *old, "spec.paramKind") &&
                                  k8s::equal_with_null_as_absent(policy, *old, "spec.matchConditions");
  Declarations declarations = declarations_of(spec);
  if (!has_old_conditions) check.match_conditions(spec, "spec.matchConditions", declarations.params);
  std::size_t index = 0;
  const auto variables = spec.items("variables");
  // The first one may name `variables`, too: one that nobody can write makes it be there.
  if (!variables.empty()) declarations.variables.push_back({" ", cel::simple_type(TypeKind::dyn)});
  for (const k8s::View& variable : variables) {
    check_variable(check, variable, at_index("spec.variables", index++), declarations);
  }
  return declarations;
}

void check_mutation(FieldCheck& check, const k8s::View& mutation, const std::string& path) {
  const std::string_view type = mutation.text("patchType");
  if (type.empty()) return check.required(path + ".patchType");
  if (type != "JSONPatch" && type != "ApplyConfiguration") {
    check.one_of(mutation, "patchType", path, true, {"ApplyConfiguration", "JSONPatch"});
    return;
  }
  const bool is_patch = type == "JSONPatch";
  const std::string_view member = is_patch ? "jsonPatch" : "applyConfiguration",
                         other = is_patch ? "applyConfiguration" : "jsonPatch";
  if (!mutation.has(member)) {
    check.required(path + "." + std::string(member),
                   "must be specified when patchType is " + std::string(type));
  } else if (is_blank(mutation.at(member).text("expression"))) {
    check.required(path + "." + std::string(member) + ".expression");
  }
  if (mutation.has(other)) {
    check.invalid(path + "." + std::string(other), json::Value("{" + std::string(other) + "}"),
                  "must not be specified when patchType is " + std::string(type));
  }
}

}  // namespace

std::vector<k8s::FieldError> check_policy(const k8s::View& policy, const k8s::View* old) {
  FieldCheck check;
  const Declarations declarations = check_selection(check, policy, old, false);
  check_results(check, policy.at("spec"), policy.text("metadata.name"), declarations);
  return check.take();
}

std::vector<k8s::FieldError> check_mutating_policy(const k8s::View& policy, const k8s::View* old) {
  FieldCheck check;
  check_selection(check, policy, old, true);
  const k8s::View spec = policy.at("spec");
  const auto mutations = spec.items("mutations");
  if (mutations.empty()) check.required("spec.mutations", "mutations must contain at least one item");
  for (std::size_t i = 0; i < mutations.size(); ++i)
    check_mutation(check, mutations[i], at_index("spec.mutations", i));
  check.one_of(spec, "reinvocationPolicy", "spec", true, {"IfNeeded", "Never"});
  return check.take();
}

std::vector<k8s::FieldError> check_policy_binding(const k8s::View& binding, bool is_mutating) {
  FieldCheck check;
  const k8s::View spec = binding.at("spec");
  const std::string_view policy = spec.text("policyName");
  if (policy.empty()) check.required("spec.policyName");
  for (const std::string& fault : policy.empty() ? k8s::Faults() : k8s::check_dns_subdomain(policy)) {
    check.invalid("spec.policyName", json::Value(policy), fault);
  }
  check_param_ref(check, spec);
  if (spec.has("matchResources")) check.match_resources(spec.at("matchResources"), "spec.matchResources");
  if (is_mutating) {
    check_mutating_operations(check, spec, "matchResources");
  } else {
    check_actions(check, spec);
  }
  return check.take();
}

}  // namespace fairway::apiserver::admission
