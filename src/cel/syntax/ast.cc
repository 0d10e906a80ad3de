// SPDX-License-Identifier: Apache-2.0

#include "cel/syntax/ast.h"

#include <cmath>

namespace fairway::cel {

namespace {

bool same(const ExpressionPtr& a, const ExpressionPtr& b) {
  if (!a || !b) return !a && !b;
  return same_tree(*a, *b);
}

struct SameNode {
  const Expression::Node& other;

  bool operator()(const Literal& a) const {
    const Literal& b = std::get<Literal>(other);
    const auto* x = std::get_if<double>(&a.value);
    const auto* y = std::get_if<double>(&b.value);
    if (x && y && std::isnan(*x) && std::isnan(*y)) return true;
    return a.value == b.value;
  }
  bool operator()(const Identifier& a) const { return a.name == std::get<Identifier>(other).name; }
  bool operator()(const Select& a) const {
    const Select& b = std::get<Select>(other);
    return a.field == b.field && a.test_only == b.test_only && same(a.operand, b.operand);
  }
  bool operator()(const Call& a) const {
    const Call& b = std::get<Call>(other);
    if (a.function != b.function || a.arguments.size() != b.arguments.size() || !same(a.target, b.target))
      return false;
    for (std::size_t i = 0; i < a.arguments.size(); ++i)
      if (!same(a.arguments[i], b.arguments[i])) return false;
    return true;
  }
  bool operator()(const ListLiteral& a) const {
    const ListLiteral& b = std::get<ListLiteral>(other);
    if (a.elements.size() != b.elements.size()) return false;
    for (std::size_t i = 0; i < a.elements.size(); ++i)
      if (a.elements[i].optional != b.elements[i].optional || !same(a.elements[i].value, b.elements[i].value))
        return false;
    return true;
  }
  bool operator()(const MapLiteral& a) const {
    const MapLiteral& b = std::get<MapLiteral>(other);
    if (a.entries.size() != b.entries.size()) return false;
    for (std::size_t i = 0; i < a.entries.size(); ++i)
      if (a.entries[i].optional != b.entries[i].optional || !same(a.entries[i].key, b.entries[i].key) ||
          !same(a.entries[i].value, b.entries[i].value))
        return false;
    return true;
  }
  bool operator()(const MessageLiteral& a) const {
    const MessageLiteral& b = std::get<MessageLiteral>(other);
    if (a.name != b.name || a.fields.size() != b.fields.size()) return false;
    for (std::size_t i = 0; i < a.fields.size(); ++i)
      if (a.fields[i].name != b.fields[i].name || a.fields[i].optional != b.fields[i].optional ||
          !same(a.fields[i].value, b.fields[i].value))
        return false;
    return true;
  }
  bool operator()(const Comprehension& a) const {
    const Comprehension& b = std::get<Comprehension>(other);
    return a.macro == b.macro && a.variable == b.variable && a.variable2 == b.variable2 &&
           same(a.range, b.range) && same(a.filter, b.filter) && same(a.body, b.body);
  }
};

}  // namespace

std::string_view name_of(Macro macro, bool two_variables) {
  switch (macro) {
    case Macro::all:
      return "all";
    case Macro::exists:
      return "exists";
    case Macro::exists_one:
      return two_variables ? "existsOne" : "exists_one";
    case Macro::filter:
      return "filter";
    case Macro::map:
      return "map";
    case Macro::transform_list:
      return "transformList";
    case Macro::transform_map:
      return "transformMap";
    case Macro::transform_map_entry:
      return "transformMapEntry";
    case Macro::sort_by:
      return "sortBy";
    case Macro::opt_map:
      return "optMap";
    case Macro::opt_flat_map:
      return "optFlatMap";
  }
  return "";
}

bool same_tree(const Expression& a, const Expression& b) {
  return a.node.index() == b.node.index() && std::visit(SameNode{b.node}, a.node);
}

}  // namespace fairway::cel
