// SPDX-License-Identifier: Apache-2.0

// The functions of the language: names, arguments, results.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "promql/parser/dialect.h"

namespace fairway::promql {

enum class ValueType { none, scalar, vector, matrix, string };

/// Returns "scalar", "vector", "matrix", "string" or "none".
std::string_view to_string(ValueType type);
/// Returns the name that the documentation uses: "instant vector" for vector, "range vector" for matrix.
std::string_view documented(ValueType type);

struct Function {
  std::string_view name = {};
  std::vector<ValueType> arguments = {};
  /// Number of times that the last argument may be omitted or repeated: 0 never, -1 any number of times.
  int variadic = 0;
  ValueType result = ValueType::vector;
  /// True if it is experimental in Prometheus 3, which rejects it unless enabled; Fairway always rejects it.
  bool experimental = false;
};

/// Returns the function of a name, or nullptr if the dialect has none.
const Function* find_function(std::string_view name, Dialect dialect);

}  // namespace fairway::promql
