// SPDX-License-Identifier: Apache-2.0

// The parts of a JSONPath.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apiserver/internal/table/json_path.h"

namespace fairway::apiserver::table {

struct JsonPath::Node {
  enum class Kind {
    field,      ///< `.name`
    wildcard,   ///< `.*`
    recursive,  ///< `..`: the values so far and all below
    selection,  ///< `[...]`, several parts are a union
    filter,     ///< `[?(...)]`
  };
  /// A part of a selection.
  struct Part {
    enum class Kind { all, path, index, slice };
    Kind kind = Kind::all;
    std::vector<std::unique_ptr<const Node>> path;
    std::optional<std::int64_t> begin, end, step;  ///< an index is its `begin`
  };
  enum class Operator { exists, equal, not_equal, less, less_equal, greater, greater_equal };
  /// A side of a comparison: a literal, or a path from the item.
  struct Operand {
    std::optional<json::Value> literal;
    std::vector<std::unique_ptr<const Node>> path;
  };

  Kind kind = Kind::field;
  std::string name;
  std::vector<Part> parts;
  Operator op = Operator::exists;
  Operand left, right;
};

}  // namespace fairway::apiserver::table
