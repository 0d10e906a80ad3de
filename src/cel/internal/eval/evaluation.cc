// SPDX-License-Identifier: Apache-2.0

#include "cel/internal/eval/evaluation.h"

#include <algorithm>

#include "cel/internal/values/map.h"
#include "cel/internal/values/numbers.h"

namespace fairway::cel {

namespace {

/// Converts a key to the index of a list: an int, or another number with an integral value. False for any
/// other key.
bool list_index(const Value& key, std::int64_t& index) {
  switch (key.kind()) {
    case ValueKind::integer:
      index = key.integer();
      return true;
    case ValueKind::unsigned_integer:
      index =
          key.unsigned_integer() > INT64_MAX ? INT64_MAX : static_cast<std::int64_t>(key.unsigned_integer());
      return true;
    case ValueKind::floating: {
      const double value = key.floating();
      if (!(value > -9e15 && value < 9e15) || value != static_cast<double>(static_cast<std::int64_t>(value)))
        return false;
      index = static_cast<std::int64_t>(value);
      return true;
    }
    default:
      return false;
  }
}

/// Returns whether the cost depends on sizes alone, which errors have too, and not on values.
bool is_counted_of_errors(CallCost cost) {
  switch (cost) {
    case CallCost::validate_format:
    case CallCost::list_flatten:
    case CallCost::list_distinct:
    case CallCost::list_sort:
    case CallCost::traverse_deep:
      return false;
    default:
      return true;
  }
}

}  // namespace

Value Evaluation::run() {
  if (program_.locals > 0) {
    frame_ = scratch_.allocate_array<Value>(program_.locals);
    if (!frame_) return out_of_memory();
  }
  const Value value = evaluate(*program_.root);
  return exceeded_ ? cancelled() : value;
}

Value Evaluation::evaluate(const Node& node) {
  cost_ += node.cost;
  if (cost_ > limit_) [[unlikely]] {
    exceed();
    return cancelled();
  }
  switch (node.op) {
    case Op::constant:
      return node.constant;
    case Op::variable:
      return variables_[node.slot];
    case Op::local:
      return frame_[node.slot];
    case Op::select: {
      const Value operand = evaluate(*node.parts[0]);
      offset_ = node.offset;
      return select(node, operand);
    }
    case Op::has:
      return has(node);
    case Op::optional_select:
      return optional_select(node);
    case Op::index: {
      const Value operand = evaluate(*node.parts[0]);
      if (operand.is(ValueKind::error)) return operand;
      const Value key = evaluate(*node.parts[1]);
      offset_ = node.offset;
      return index(node, operand, key);
    }
    case Op::optional_index:
      return optional_index(node);
    case Op::call:
      return call(node);
    case Op::logical_and:
      return logical(node, false);
    case Op::logical_or:
      return logical(node, true);
    case Op::conditional: {
      const Value condition = evaluate(*node.parts[0]);
      if (condition.is_true()) return evaluate(*node.parts[1]);
      if (condition.is_false()) return evaluate(*node.parts[2]);
      if (condition.is(ValueKind::error)) return condition;
      offset_ = node.offset;
      return no_such_overload();
    }
    case Op::or_value:
    case Op::or_optional: {
      const Value optional = evaluate(*node.parts[0]);
      if (optional.is(ValueKind::error)) return optional;
      offset_ = node.offset;
      if (!optional.is(ValueKind::optional)) return no_such_overload();
      if (optional.inside()) return node.op == Op::or_value ? *optional.inside() : optional;
      return evaluate(*node.parts[1]);
    }
    case Op::equal:
    case Op::not_equal: {
      const Value arguments[2] = {evaluate(*node.parts[0]), evaluate(*node.parts[1])};
      if (ended_) return cancelled();
      for (const Value& argument : arguments)
        if (argument.is(ValueKind::error)) return charge(1) ? argument : cancelled();
      const bool same = equal(arguments[0], arguments[1], scratch_);
      const Value result = Value::boolean(same == (node.op == Op::equal));
      const CallCost kind = node.op == Op::equal ? CallCost::equality : CallCost::compare;
      if (!charge(call_cost(kind, arguments, 2, result))) return cancelled();
      return result;
    }
    case Op::in_constants:
      return in_constants(node);
    case Op::list:
      return list(node);
    case Op::map:
      return map(node);
    case Op::comprehension:
      return comprehension(node);
    case Op::optional_map:
      return optional_map(node);
    case Op::sort_by:
      return sort_by(node);
  }
  return no_such_overload();
}

Value Evaluation::field(const Node& node, const Value& operand, bool& found) {
  found = true;
  if (operand.is(ValueKind::object) && operand.declared() == node.object_type) {
    const json::Value* member = operand.members().if_contains(node.field->key);
    if (member) return Value::of_json(*member, *node.field->type, scratch_);
    found = false;
    return error("no such key: " + std::string(node.name));
  }
  if (operand.is(ValueKind::map) || operand.is(ValueKind::object)) {
    if (const std::optional<Value> value = operand.find(node.name, scratch_)) return *value;
    found = false;
    const bool known = operand.is(ValueKind::map) || operand.declared()->find_field(node.name) != nullptr;
    return error((known ? "no such key: " : "no such field '") + std::string(node.name) + (known ? "" : "'"));
  }
  found = false;
  return operand.is(ValueKind::error) ? operand : no_such_overload();
}

Value Evaluation::select(const Node& node, const Value& operand) {
  bool found = false;
  if (!operand.is(ValueKind::optional)) return field(node, operand, found);
  // A selection of an optional is one too. What is not there is not counted.
  if (!operand.inside()) {
    refund();
    return operand;
  }
  const Value value = field(node, *operand.inside(), found);
  if (found) return value.is(ValueKind::error) ? value : optional_of(value);
  refund();
  return ended_ ? value : Value::optional(nullptr);
}

Value Evaluation::has(const Node& node) {
  Value operand = evaluate(*node.parts[0]);
  offset_ = node.offset;
  if (operand.is(ValueKind::error)) return operand;
  if (operand.is(ValueKind::optional)) {
    if (!operand.inside()) return Value::boolean(false);
    operand = *operand.inside();
  }
  if (operand.is(ValueKind::object)) {
    if (operand.declared() == node.object_type)
      return Value::boolean(operand.members().if_contains(node.field->key) != nullptr);
    const Field* known = operand.declared()->find_field(node.name);
    if (known == nullptr) return error("no such field '" + std::string(node.name) + "'");
    return Value::boolean(operand.members().if_contains(known->key) != nullptr);
  }
  if (!operand.is(ValueKind::map)) return no_such_overload();
  return Value::boolean(operand.find(node.name, scratch_).has_value());
}

Value Evaluation::optional_select(const Node& node) {
  Value operand = evaluate(*node.parts[0]);
  offset_ = node.offset;
  if (operand.is(ValueKind::error)) return operand;
  if (operand.is(ValueKind::optional)) {
    if (!operand.inside()) {
      refund();
      return operand;
    }
    operand = *operand.inside();
  }
  if (!operand.is(ValueKind::map) && !operand.is(ValueKind::object)) return no_such_overload();
  if (operand.is(ValueKind::object) && operand.declared()->find_field(node.name) == nullptr)
    return error("no such field '" + std::string(node.name) + "'");
  const std::optional<Value> value = operand.find(node.name, scratch_);
  if (!value) {
    refund();
    return Value::optional(nullptr);
  }
  return value->is(ValueKind::error) ? *value : optional_of(*value);
}

Value Evaluation::element(const Value& operand, const Value& key, bool& found) {
  found = false;
  if (operand.is(ValueKind::list)) {
    std::int64_t place = 0;
    if (!list_index(key, place)) return no_such_overload();
    if (place < 0 || static_cast<std::uint64_t>(place) >= operand.size()) {
      return error("index out of bounds: " + std::to_string(place));
    }
    found = true;
    return operand.at(static_cast<std::size_t>(place), scratch_);
  }
  if (operand.is(ValueKind::map) || operand.is(ValueKind::object)) {
    if (!key.is(ValueKind::string) && !key.is(ValueKind::boolean) && !is_number(key))
      return no_such_overload();
    if (const std::optional<Value> value = operand.find(key, scratch_)) {
      found = true;
      return *value;
    }
    return error("no such key: " +
                 (key.is(ValueKind::string) ? std::string(key.text()) : to_string(key, scratch_)));
  }
  return no_such_overload();
}

Value Evaluation::index(const Node&, const Value& operand, const Value& key) {
  if (key.is(ValueKind::error)) return key;
  bool found = false;
  if (!operand.is(ValueKind::optional)) return element(operand, key, found);
  if (!operand.inside()) {
    refund();
    return operand;
  }
  const Value value = element(*operand.inside(), key, found);
  if (found) return value.is(ValueKind::error) ? value : optional_of(value);
  refund();
  return ended_ ? value : Value::optional(nullptr);
}

Value Evaluation::optional_index(const Node& node) {
  Value operand = evaluate(*node.parts[0]);
  if (operand.is(ValueKind::error)) return operand;
  const Value key = evaluate(*node.parts[1]);
  if (key.is(ValueKind::error)) return key;
  offset_ = node.offset;
  if (operand.is(ValueKind::optional)) {
    if (!operand.inside()) {
      refund();
      return operand;
    }
    operand = *operand.inside();
  }
  if (!operand.is(ValueKind::list) && !operand.is(ValueKind::map) && !operand.is(ValueKind::object))
    return no_such_overload();
  bool found = false;
  const Value value = element(operand, key, found);
  if (ended_) return value;
  if (found) return value.is(ValueKind::error) ? value : optional_of(value);
  refund();
  return Value::optional(nullptr);
}

Value Evaluation::call(const Node& node) {
  constexpr std::size_t few = 2, most = 8;
  return node.parts.size() <= few ? call_with<few>(node) : call_with<most>(node);
}

template <std::size_t most>
Value Evaluation::call_with(const Node& node) {
  Value arguments[most];
  const std::size_t count = std::min(node.parts.size(), most);
  const Value* failure = nullptr;
  for (std::size_t i = 0; i < count; ++i) {
    arguments[i] = evaluate(*node.parts[i]);
    if (!arguments[i].is(ValueKind::error)) continue;
    // cel-go evaluates both arguments of two, and counts the call.
    if (count > 2 || ended_) return arguments[i];
    if (!failure) failure = &arguments[i];
  }
  offset_ = node.offset;
  if (failure) {
    const CallCost known = node.overloads.front()->declared.cost;
    const CallCost kind = node.unit_cost || !is_counted_of_errors(known) ? CallCost::unit : known;
    return charge(call_cost(kind, arguments, count, *failure)) ? *failure : cancelled();
  }
  for (const FunctionOverload* overload : node.overloads) {
    if (!overload->accepts(arguments)) continue;
    const Value result = overload->declared.implementation(*this, arguments);
    const CallCost kind = node.unit_cost ? CallCost::unit : overload->declared.cost;
    if (kind == CallCost::unit ? !charge(1) : !charge(call_cost(kind, arguments, count, result)))
      return cancelled();
    return result;
  }
  if (!charge(1)) return cancelled();
  return error("no such overload: " + std::string(node.name));
}

Value Evaluation::logical(const Node& node, bool decides) {
  Value failure = Value::boolean(!decides);
  for (const Node* term : node.parts) {
    const Value value = evaluate(*term);
    if (ended_) return value;
    if (value.is(ValueKind::boolean)) {
      if (value.boolean() == decides) return value;
    } else if (!failure.is(ValueKind::error)) {
      offset_ = term->offset;
      failure = value.is(ValueKind::error) ? value : no_such_overload();
    }
  }
  return failure;
}

Value Evaluation::list(const Node& node) {
  Value* made = items(node.parts.size());
  if (!made) return out_of_memory();
  std::size_t count = 0;
  for (std::size_t i = 0; i < node.parts.size(); ++i) {
    Value value = evaluate(*node.parts[i]);
    if (value.is(ValueKind::error)) return value;
    if (!node.optional.empty() && node.optional[i]) {
      offset_ = node.offset;
      if (!value.is(ValueKind::optional)) return no_such_overload();
      if (!value.inside()) continue;
      value = *value.inside();
    }
    new (&made[count++]) Value(value);
  }
  return Value::list(made, count);
}

Value Evaluation::map(const Node& node) {
  const std::size_t count = node.parts.size() / 2;
  MapBuilder builder(count, scratch_);
  if (!builder.ok()) return out_of_memory();
  for (std::size_t i = 0; i < count; ++i) {
    const Value key = evaluate(*node.parts[2 * i]);
    if (key.is(ValueKind::error)) return key;
    Value value = evaluate(*node.parts[2 * i + 1]);
    if (value.is(ValueKind::error)) return value;
    offset_ = node.parts[2 * i]->offset;
    if (!node.optional.empty() && node.optional[i]) {
      if (!value.is(ValueKind::optional)) return no_such_overload();
      if (!value.inside()) continue;
      value = *value.inside();
    }
    if (key.kind() != ValueKind::boolean && key.kind() != ValueKind::integer &&
        key.kind() != ValueKind::unsigned_integer && key.kind() != ValueKind::string)
      return error("unsupported key type");
    if (!builder.add(key, value)) return error("Failed with repeated key");
  }
  return builder.take();
}

Value Evaluation::in_constants(const Node& node) {
  const Value needle = evaluate(*node.parts[0]);
  if (needle.is(ValueKind::error)) return needle;
  const Value& list = node.parts[1]->constant;
  for (std::size_t i = 0; i < list.size(); ++i)
    if (equal(needle, list.native_items()[i], scratch_)) return Value::boolean(true);
  return Value::boolean(false);
}

}  // namespace fairway::cel
