// One entry of x-kubernetes-validations, ready to be evaluated.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/internal/definitions/rule_types.h"
#include "base/json.h"
#include "cel/eval/program.h"

namespace fairway::apiserver::definitions {

struct RuleProgram {
  /// What failures say, trimmed: the message, or the rule.
  std::string shown;
  /// Trimmed; empty: there is none.
  std::string message;
  std::string message_expression;
  /// `reason`; empty: there is none.
  std::string reason;
  /// In the form of Kubernetes's paths, below the path of the value; empty: the value itself.
  std::string field_path;
  /// The expression names oldSelf.
  bool uses_old_self = false;
  /// oldSelf is an optional: the rule holds for new values, too.
  bool has_optional_old_self = false;

  /// None if the rule is empty, or wrong.
  std::optional<cel::Program> program, message_program;
  /// Why there is no program: "compilation failed: ERROR: <input>:1:6: ...".
  std::string error, message_error;
  /// The most that one evaluation can cost, as Kubernetes estimates it.
  std::uint64_t max_cost = 0, max_message_cost = 0;
};

/// The rules of `schema` itself, for values of `type`, in their order. Errors are in the programs.
/// Rules: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/compilation.go.
std::vector<RuleProgram> compile_rules(const json::Object& schema, const json::Array& rules,
                                       const DeclaredType& type);

/// Kubernetes's form of a rule's `fieldPath` (`.spec['a.b']` is `spec[a.b]`), or why it is no path to a field
/// of the schema.
std::expected<std::string, std::string> read_field_path(std::string_view path, const json::Object& schema);

}  // namespace fairway::apiserver::definitions
