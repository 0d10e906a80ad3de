// SPDX-License-Identifier: Apache-2.0

// The CEL expressions of match conditions and admission policies.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/checker/environment.h"
#include "cel/eval/program.h"
#include "cel/types/type.h"

namespace fairway::apiserver::admission {

/// A variable of a policy, by the type of its expression.
struct NamedType {
  std::string name;
  cel::TypePtr type;
};

/// The names that an expression may use, besides `object`, `oldObject`, `request` and `namespaceObject`.
struct Declarations {
  bool params = false, authorizer = false;
  /// Variables that are named `variables.NAME`. Without any, `variables` is not declared.
  std::vector<NamedType> variables;
};

/// The places of values in an evaluation; those of variables follow.
enum class Slot : std::uint8_t {
  object,
  old_object,
  params,
  request,
  namespace_object,
  authorizer,
  request_resource,
  variables
};
inline constexpr std::size_t fixed_slots = 8;

/// An expression, ready to be evaluated many times.
struct Expression {
  /// Name of the variable that the expression defines; empty for other expressions.
  std::string name;
  std::string source;
  /// The compiled program; none: the expression is wrong.
  std::optional<cel::Program> program;
  /// Error of the compilation: "compilation failed: ERROR: <input>:1:1: ...".
  std::string error;
  cel::TypePtr type;
  /// Indexes of the policy's variables that it names.
  std::vector<std::size_t> variables;
};

/// Compiles an expression. `results`: the types that it may evaluate to; none: any.
/// Rules: k8s.io/apiserver/pkg/admission/plugin/cel/compile.go.
Expression compile_expression(std::string_view source, const Declarations& declarations,
                              std::span<const cel::TypeKind> results);

/// The types of `request` and `namespaceObject`.
const cel::TypePtr& request_type();
const cel::TypePtr& namespace_type();

}  // namespace fairway::apiserver::admission
