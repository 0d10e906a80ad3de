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

/// What an expression may name, beside `object`, `oldObject`, `request` and `namespaceObject`.
struct Declarations {
  bool params = false, authorizer = false;
  /// As `variables.NAME`. Of a policy without any there is no `variables`.
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
  /// Of a variable.
  std::string name;
  std::string source;
  /// None: it is wrong.
  std::optional<cel::Program> program;
  /// "compilation failed: ERROR: <input>:1:1: ...".
  std::string error;
  cel::TypePtr type;
  /// Places of the policy's variables that it names.
  std::vector<std::size_t> variables;
};

/// `results`: what it may evaluate to; none: anything.
/// Rules: k8s.io/apiserver/pkg/admission/plugin/cel/compile.go.
Expression compile_expression(std::string_view source, const Declarations& declarations,
                              std::span<const cel::TypeKind> results);

/// The types of `request` and `namespaceObject`.
const cel::TypePtr& request_type();
const cel::TypePtr& namespace_type();

}  // namespace fairway::apiserver::admission
