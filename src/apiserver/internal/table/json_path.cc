// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/table/json_path.h"

#include <algorithm>
#include <utility>

#include "apiserver/internal/table/json_path_node.h"

namespace fairway::apiserver::table {

namespace {

using Node = JsonPath::Node;
using Values = std::vector<const json::Value*>;

/// Number of values that are kept. `..` over a list of lists grows with each step; a cell cannot show more
/// anyway.
constexpr std::size_t max_values = 100'000;

std::unexpected<Error> error(std::string why) {
  return fail(ErrorCode::invalid, std::move(why));
}

Result<Values> evaluate(const std::vector<std::unique_ptr<const Node>>& nodes, Values values);

std::unexpected<Error> not_a_list(const json::Value& value) {
  return error(json::to_text(value).substr(0, 100) + " is not array or slice");
}

void add_children(const json::Value& value, Values& out) {
  if (const auto* list = value.if_array()) {
    for (const json::Value& item : *list) out.push_back(&item);
  } else if (const auto* object = value.if_object()) {
    for (const auto& member : *object) out.push_back(&member.value());
  }
}

/// Adds the value and all values below it, each before its content.
void add_with_descendants(const json::Value& value, Values& out) {
  Values open = {&value};
  while (!open.empty() && out.size() < max_values) {
    const json::Value* next = open.back();
    open.pop_back();
    out.push_back(next);
    Values children;
    add_children(*next, children);
    open.insert(open.end(), children.rbegin(), children.rend());
  }
}

/// Adds the items of an index or a slice.
Result<void> add_items(const Node::Part& part, const json::Value& value, Values& out) {
  const auto* list = value.if_array();
  if (list == nullptr) return not_a_list(value);
  const auto size = static_cast<std::int64_t>(list->size());
  const auto from_end = [&](std::int64_t index) { return index < 0 ? index + size : index; };
  if (part.kind == Node::Part::Kind::index) {
    const std::int64_t index = from_end(*part.begin);
    if (index < 0 || index >= size) {
      return error("array index out of bounds: index " + std::to_string(index) + ", length " +
                   std::to_string(size));
    }
    out.push_back(&(*list)[static_cast<std::size_t>(index)]);
    return {};
  }
  const std::int64_t begin = from_end(part.begin.value_or(0)), end = from_end(part.end.value_or(size));
  const std::int64_t step = part.step.value_or(1);
  if (begin == end) return {};
  if (begin < 0 || begin >= size || end < 0 || end > size) {
    return error("array index out of bounds: " + std::to_string(begin) + " to " + std::to_string(end) +
                 ", length " + std::to_string(size));
  }
  if (begin > end) {
    return error("starting index " + std::to_string(begin) + " is greater than ending index " +
                 std::to_string(end));
  }
  if (step <= 0) return error("step must be > 0");
  for (std::int64_t i = begin; i < end; i += std::min(step, end - i)) {
    out.push_back(&(*list)[static_cast<std::size_t>(i)]);
  }
  return {};
}

Result<void> add_part(const Node::Part& part, const json::Value& value, Values& out) {
  switch (part.kind) {
    case Node::Part::Kind::all:
      if (!value.is_array()) return not_a_list(value);
      add_children(value, out);
      return {};
    case Node::Part::Kind::path: {
      auto found = evaluate(part.path, {&value});
      if (!found) return fail(std::move(found.error()));
      out.insert(out.end(), found->begin(), found->end());
      return {};
    }
    case Node::Part::Kind::index:
    case Node::Part::Kind::slice:
      return add_items(part, value, out);
  }
  return {};
}

/// Compares two values: -1, 0 or 1; std::nullopt if they cannot be compared.
std::optional<int> compare(const json::Value& a, const json::Value& b) {
  const auto sign = [](const auto& x, const auto& y) { return x < y ? -1 : x > y ? 1 : 0; };
  if (a.is_string() && b.is_string()) return sign(a.get_string(), b.get_string());
  if (a.is_bool() && b.is_bool()) return sign(a.get_bool(), b.get_bool());
  if (a.is_int64() && b.is_int64()) return sign(a.get_int64(), b.get_int64());
  if (a.is_number() && b.is_number()) return sign(a.to_number<double>(), b.to_number<double>());
  return std::nullopt;
}

Result<std::optional<json::Value>> value_of(const Node::Operand& operand, const json::Value& item) {
  if (operand.literal) return operand.literal;
  auto values = evaluate(operand.path, {&item});
  if (!values) return fail(std::move(values.error()));
  if (values->size() > 1) return error("can only compare one element at a time");
  if (values->empty()) return std::nullopt;
  return *values->front();
}

Result<bool> matches(const Node& filter, const json::Value& item) {
  if (filter.op == Node::Operator::exists) {
    if (filter.left.literal) return true;
    const auto values = evaluate(filter.left.path, {&item});
    if (!values) return fail(values.error());
    return !values->empty();
  }
  const auto left = value_of(filter.left, item);
  if (!left) return fail(left.error());
  const auto right = value_of(filter.right, item);
  if (!right) return fail(right.error());
  if (!*left || !*right) return false;
  const bool is_equality = filter.op == Node::Operator::equal || filter.op == Node::Operator::not_equal;
  const auto order = compare(**left, **right);
  if (!order) {
    if (!is_equality) return error("values of different types cannot be ordered");
    return error("incompatible types for comparison");
  }
  switch (filter.op) {
    case Node::Operator::equal:
      return *order == 0;
    case Node::Operator::not_equal:
      return *order != 0;
    case Node::Operator::less:
      return *order < 0;
    case Node::Operator::less_equal:
      return *order <= 0;
    case Node::Operator::greater:
      return *order > 0;
    case Node::Operator::greater_equal:
      return *order >= 0;
    case Node::Operator::exists:
      break;
  }
  return false;
}

Result<void> add_filtered(const Node& filter, const json::Value& value, Values& out) {
  const auto* list = value.if_array();
  if (list == nullptr) return not_a_list(value);
  for (const json::Value& item : *list) {
    const auto match = matches(filter, item);
    if (!match) return fail(match.error());
    if (*match) out.push_back(&item);
  }
  return {};
}

Result<void> add_results(const Node& node, const json::Value& value, Values& out) {
  switch (node.kind) {
    case Node::Kind::field:
      if (const json::Value* found = json::find(value, node.name)) out.push_back(found);
      return {};
    case Node::Kind::wildcard:
      add_children(value, out);
      return {};
    case Node::Kind::recursive:
      add_with_descendants(value, out);
      return {};
    case Node::Kind::selection:
      for (const Node::Part& part : node.parts) {
        if (auto added = add_part(part, value, out); !added) return added;
      }
      return {};
    case Node::Kind::filter:
      return add_filtered(node, value, out);
  }
  return {};
}

Result<Values> evaluate(const std::vector<std::unique_ptr<const Node>>& nodes, Values values) {
  for (const auto& node : nodes) {
    Values next;
    for (const json::Value* value : values) {
      // Null is absent.
      if (value->is_null()) continue;
      if (auto added = add_results(*node, *value, next); !added) return fail(std::move(added.error()));
      if (next.size() > max_values) return error("the path selects too many values");
    }
    values = std::move(next);
  }
  return values;
}

}  // namespace

Result<Values> JsonPath::find(const json::Value& document) const {
  return evaluate(nodes_, {&document});
}

}  // namespace fairway::apiserver::table
