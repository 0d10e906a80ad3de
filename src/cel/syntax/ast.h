// SPDX-License-Identifier: Apache-2.0

// The syntax tree of an expression. Macros that iterate stay one node (`Comprehension`): evaluation and cost
// know what each of them expands to.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cel/syntax/span.h"

namespace fairway::cel {

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

struct NullLiteral {
  friend bool operator==(const NullLiteral&, const NullLiteral&) = default;
};

struct BytesLiteral {
  std::string bytes = {};
  friend bool operator==(const BytesLiteral&, const BytesLiteral&) = default;
};

struct Literal {
  std::variant<NullLiteral, bool, std::int64_t, std::uint64_t, double, std::string, BytesLiteral> value = {};
};

struct Identifier {
  /// Name, with a leading dot if it is not relative to the container.
  std::string name = {};
};

/// `operand.field`, or `has(operand.field)`.
struct Select {
  ExpressionPtr operand = {};
  std::string field = {};
  bool test_only = false;
};

/// A function or an operator. Operators have the names that CEL gives them (`_+_`, `!_`, `_?_:_`, `@in`,
/// `_[_]`, `_?._`, `_[?_]`); a chain of && or || is one call with all its terms.
struct Call {
  std::string function = {};
  /// Target of the call; nullptr for a global function.
  ExpressionPtr target = {};
  std::vector<ExpressionPtr> arguments = {};
};

struct ListElement {
  ExpressionPtr value = {};
  /// True for `[?value]`.
  bool optional = false;
};

struct ListLiteral {
  std::vector<ListElement> elements = {};
};

struct MapEntry {
  ExpressionPtr key = {}, value = {};
  /// True for `{?key: value}`.
  bool optional = false;
};

struct MapLiteral {
  std::vector<MapEntry> entries = {};
};

struct MessageField {
  std::string name = {};
  ExpressionPtr value = {};
  bool optional = false;
};

/// A message literal, `Name{field: value}`.
struct MessageLiteral {
  std::string name = {};
  std::vector<MessageField> fields = {};
};

enum class Macro : std::uint8_t {
  all,
  exists,
  exists_one,
  filter,
  map,
  transform_list,
  transform_map,
  transform_map_entry,
  sort_by,
  opt_map,
  opt_flat_map,
};

/// A comprehension macro, such as `range.all(variable, body)`. For the macros of optional values, `range` is
/// the optional and `variable` its value.
struct Comprehension {
  Macro macro = Macro::all;
  ExpressionPtr range = {};
  std::string variable = {};
  /// Name of the variable for the value beside the key or index; empty in the form with one variable.
  std::string variable2 = {};
  /// Condition of `map` with three arguments and of the transformations; otherwise nullptr.
  ExpressionPtr filter = {};
  ExpressionPtr body = {};
};

struct Expression {
  using Node =
      std::variant<Literal, Identifier, Select, Call, ListLiteral, MapLiteral, MessageLiteral, Comprehension>;
  Node node = {};
  Span span = {};
  /// Depth of this tree; a leaf has 1.
  int depth = 1;
};

/// Returns the name of a macro as it is written with one or two variables: `exists_one`, `existsOne`.
std::string_view name_of(Macro macro, bool two_variables);

/// Returns whether two trees are equal, ignoring positions. NaN equals NaN.
bool same_tree(const Expression& a, const Expression& b);

/// Calls `visit` with each direct part of an expression, in the order of the text.
template <class Visit>
void for_each_child(const Expression& expression, const Visit& visit) {
  const auto call = [&](const ExpressionPtr& child) {
    if (child) visit(*child);
  };
  if (const auto* select = std::get_if<Select>(&expression.node)) {
    call(select->operand);
  } else if (const auto* function = std::get_if<Call>(&expression.node)) {
    call(function->target);
    for (const ExpressionPtr& argument : function->arguments) call(argument);
  } else if (const auto* list = std::get_if<ListLiteral>(&expression.node)) {
    for (const ListElement& element : list->elements) call(element.value);
  } else if (const auto* map = std::get_if<MapLiteral>(&expression.node)) {
    for (const MapEntry& entry : map->entries) call(entry.key), call(entry.value);
  } else if (const auto* message = std::get_if<MessageLiteral>(&expression.node)) {
    for (const MessageField& field : message->fields) call(field.value);
  } else if (const auto* comprehension = std::get_if<Comprehension>(&expression.node)) {
    call(comprehension->range);
    call(comprehension->filter);
    call(comprehension->body);
  }
}

}  // namespace fairway::cel
