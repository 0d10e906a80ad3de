// SPDX-License-Identifier: Apache-2.0

// One entry of x-kubernetes-validations, ready to be evaluated.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "cel/eval/program.h"
#include "validation_rules/internal/rule_types.h"

namespace fairway::validation_rules {

struct RuleProgram {
  /// Text that failures show, trimmed: the message, or the rule.
  std::string shown;
  /// Message, trimmed; empty: there is none.
  std::string message;
  std::string message_expression;
  /// Member `reason`; empty: there is none.
  std::string reason;
  /// Field path in the form of Kubernetes's paths, below the path of the value; empty: the value itself.
  std::string field_path;
  /// True if the expression names oldSelf.
  bool uses_old_self = false;
  /// True if oldSelf is an optional: the rule also applies to new values.
  bool has_optional_old_self = false;

  /// Compiled programs; none if the rule is empty or invalid.
  std::optional<cel::Program> program, message_program;
  /// Reason why there is no program: "compilation failed: ERROR: <input>:1:6: ...".
  std::string error, message_error;
  /// The most that one evaluation can cost, as Kubernetes estimates it.
  std::uint64_t max_cost = 0, max_message_cost = 0;
};

/// Compiles the rules of `schema` itself, for values of `type`, in their order. Errors are in the programs.
/// Rules: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/compilation.go.
std::vector<RuleProgram> compile_rules(const json::Object& schema, const json::Array& rules,
                                       const DeclaredType& type);

/// Returns a rule's `fieldPath` in Kubernetes's form (`.spec['a.b']` is `spec[a.b]`), or the reason why it is
/// no path to a field of the schema.
std::expected<std::string, std::string> read_field_path(std::string_view path, const json::Object& schema);

}  // namespace fairway::validation_rules
