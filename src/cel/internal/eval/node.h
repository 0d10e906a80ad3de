// SPDX-License-Identifier: Apache-2.0

// The compact tree that is evaluated.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cel/internal/values/call_context.h"
#include "cel/syntax/ast.h"
#include "cel/values/functions.h"
#include "cel/values/scratch.h"
#include "cel/values/value.h"

namespace re2 {
class RE2;
}

namespace fairway::cel {

enum class Op : std::uint8_t {
  constant,
  variable,
  local,
  select,
  has,
  optional_select,
  index,
  optional_index,
  call,
  logical_and,
  logical_or,
  conditional,
  or_value,
  or_optional,
  equal,
  not_equal,
  in_constants,
  list,
  map,
  comprehension,
  optional_map,
  sort_by,
};

struct Node {
  Op op = Op::constant;
  Macro macro = Macro::all;
  /// True for a call whose overload is not known before: cel-go counts 1 even if the overload costs more.
  bool unit_cost = false;
  /// Cost of the node beside its parts and, for a call, beside the call itself.
  std::uint8_t cost = 0;
  bool two_variables = false;
  std::uint32_t offset = 0;
  /// Index of a variable or local; for a comprehension, that of its first variable.
  std::uint32_t slot = 0;
  Value constant;
  /// Name of a field.
  std::string_view name;
  /// Field that the checker has found, and the type that has it.
  const Type* object_type = nullptr;
  const Field* field = nullptr;
  std::vector<const Node*> parts;
  /// Flags of the elements or entries of a literal; empty if none is optional.
  std::vector<bool> optional;
  std::vector<const FunctionOverload*> overloads;
};

struct CompiledProgram {
  std::shared_ptr<const Functions> functions;
  std::deque<Node> nodes;
  std::deque<std::string> texts;
  std::vector<TypePtr> types;
  std::deque<EvaluationError> errors;
  Patterns patterns;
  Scratch constants;
  const Node* root = nullptr;
  std::uint32_t locals = 0;

  CompiledProgram();
  ~CompiledProgram();
};

}  // namespace fairway::cel
