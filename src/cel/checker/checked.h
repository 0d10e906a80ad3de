// SPDX-License-Identifier: Apache-2.0

// The result of the type checker: the type and the overloads of each part of an expression.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "cel/syntax/ast.h"
#include "cel/types/type.h"
#include "cel/values/functions.h"

namespace fairway::cel {

struct Checked {
  /// Type of the whole expression.
  TypePtr type = {};
  std::unordered_map<const Expression*, TypePtr> types = {};
  /// Overloads that the arguments of a call allow; several if arguments are dyn.
  std::unordered_map<const Expression*, std::vector<const FunctionOverload*>> overloads = {};

  /// Returns the type of a part; dyn if the part is not known.
  const TypePtr& type_of(const Expression& expression) const {
    const auto found = types.find(&expression);
    return found == types.end() ? simple_type(TypeKind::dyn) : found->second;
  }
};

}  // namespace fairway::cel
