// The functions of the language: names, arguments, results.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "promql/parser/dialect.h"

namespace fairway::promql {

enum class ValueType { none, scalar, vector, matrix, string };

/// "scalar", "vector", "matrix", "string", "none".
std::string_view to_string(ValueType type);
/// The name the documentation uses: "instant vector" for vector, "range vector" for matrix.
std::string_view documented(ValueType type);

struct Function {
  std::string_view name;
  std::vector<ValueType> arguments;
  /// How many times the last argument may be left out or repeated: 0 never, -1 any number of times.
  int variadic = 0;
  ValueType result = ValueType::vector;
  /// Prometheus 3 refuses it unless asked to, and so does Fairway always.
  bool experimental = false;
};

/// The function of a name, or nullptr if this Prometheus has none.
const Function* find_function(std::string_view name, Dialect dialect);

}  // namespace fairway::promql
