// SPDX-License-Identifier: Apache-2.0

// Macros that iterate. Their costs are those of what CEL expands them to: `@result && body` in a loop that
// tests
// @not_strictly_false(@result), and so on.
#include "cel/internal/eval/evaluation.h"

#include <algorithm>
#include <vector>

#include "cel/internal/values/map.h"
#include "cel/internal/values/order.h"

namespace fairway::cel {

Value Evaluation::set_item(const Node& node, const Value& range, std::size_t index) {
  const bool is_list = range.is(ValueKind::list);
  Value& first = frame_[node.slot];
  if (!node.two_variables) return first = is_list ? range.at(index, scratch_) : range.key_at(index);
  first = is_list ? Value::integer(static_cast<std::int64_t>(index)) : range.key_at(index);
  return frame_[node.slot + 1] = is_list ? range.at(index, scratch_) : range.value_at(index, scratch_);
}

Value Evaluation::comprehension(const Node& node) {
  const Value range = evaluate(*node.parts[0]);
  if (range.is(ValueKind::error)) return range;
  offset_ = node.offset;
  if (!range.is(ValueKind::list) && !range.is(ValueKind::map)) return no_such_overload();
  switch (node.macro) {
    case Macro::all:
    case Macro::exists:
      return quantifier(node, range);
    case Macro::exists_one:
      return exists_one(node, range);
    case Macro::transform_map:
    case Macro::transform_map_entry:
      return make_map(node, range);
    default:
      return make_list(node, range);
  }
}

Value Evaluation::quantifier(const Node& node, const Value& range) {
  const bool decides = node.macro == Macro::exists;
  // The loop's condition, `@not_strictly_false(@result)` or of `!@result`, and @result in the step.
  const std::uint64_t condition_cost = decides ? 3 : 2;
  Value result = Value::boolean(!decides);
  const std::size_t count = range.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (!charge(condition_cost)) return cancelled();
    if (result.is(ValueKind::boolean) && result.boolean() == decides) break;
    if (!charge(1)) break;
    const Value item = set_item(node, range, i);
    const Value value = item.is(ValueKind::error) ? item : evaluate(*node.parts[1]);
    if (ended_) return value;
    if (value.is(ValueKind::boolean)) {
      if (value.boolean() == decides) result = value;
    } else if (!result.is(ValueKind::error)) {
      offset_ = node.offset;
      result = value.is(ValueKind::error) ? value : no_such_overload();
    }
  }
  charge(1);
  return result;
}

Value Evaluation::exists_one(const Node& node, const Value& range) {
  std::size_t found = 0;
  const std::size_t count = range.size();
  for (std::size_t i = 0; i < count; ++i) {
    const Value item = set_item(node, range, i);
    const Value value = item.is(ValueKind::error) ? item : evaluate(*node.parts[1]);
    if (value.is(ValueKind::error)) return value;
    if (!value.is(ValueKind::boolean)) return no_such_overload();
    if (!value.boolean()) continue;
    ++found;
    charge(2);
  }
  charge(2);
  return Value::boolean(found == 1);
}

Value Evaluation::make_list(const Node& node, const Value& range) {
  const std::size_t count = range.size();
  const Node* filter = node.macro == Macro::filter ? node.parts[1]
                       : node.parts.size() > 2     ? node.parts[2]
                                                   : nullptr;
  Value* made = items(count);
  if (!made) return out_of_memory();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Value item = set_item(node, range, i);
    if (item.is(ValueKind::error)) return item;
    if (filter) {
      const Value keep = evaluate(*filter);
      if (keep.is(ValueKind::error)) return keep;
      offset_ = node.offset;
      if (!keep.is(ValueKind::boolean)) return no_such_overload();
      if (!keep.boolean()) continue;
    }
    // `@result + [item]`
    if (!charge(12)) return cancelled();
    if (node.macro == Macro::filter) {
      charge(1);
      new (&made[kept++]) Value(item);
      continue;
    }
    const Value value = evaluate(*node.parts[1]);
    if (value.is(ValueKind::error)) return value;
    new (&made[kept++]) Value(value);
  }
  charge(1);
  return Value::list(made, kept);
}

Value Evaluation::make_map(const Node& node, const Value& range) {
  const std::size_t count = range.size();
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < count; ++i) {
    const Value item = set_item(node, range, i);
    if (item.is(ValueKind::error)) return item;
    if (node.parts.size() > 2) {
      const Value keep = evaluate(*node.parts[2]);
      if (keep.is(ValueKind::error)) return keep;
      offset_ = node.offset;
      if (!keep.is(ValueKind::boolean)) return no_such_overload();
      if (!keep.boolean()) continue;
    }
    const Value value = evaluate(*node.parts[1]);
    if (value.is(ValueKind::error)) return value;
    offset_ = node.offset;
    if (node.macro == Macro::transform_map) {
      if (!charge(3)) return cancelled();
      entries.push_back({frame_[node.slot], value});
      continue;
    }
    if (!charge(2)) return cancelled();
    if (!value.is(ValueKind::map)) return no_such_overload();
    for (std::size_t j = 0; j < value.size(); ++j)
      entries.push_back({value.key_at(j), value.value_at(j, scratch_)});
  }
  MapBuilder builder(entries.size(), scratch_);
  if (!builder.ok()) return out_of_memory();
  for (const Entry& entry : entries)
    if (!builder.add(entry.key, entry.value))
      return error("insert failed: key " + to_string(entry.key, scratch_) + " already exists");
  charge(1);
  return builder.take();
}

/// Evaluates `range.hasValue() ? optional.of(body) : optional.none()`, where the variable is `range.value()`:
/// cost counts the range twice.
Value Evaluation::optional_map(const Node& node) {
  const std::uint64_t before = cost_;
  const Value optional = evaluate(*node.parts[0]);
  if (optional.is(ValueKind::error)) return optional;
  offset_ = node.offset;
  if (!optional.is(ValueKind::optional)) return no_such_overload();
  if (!optional.inside()) {
    charge(2);
    return optional;
  }
  if (!charge(2 + cost_ - before)) return cancelled();
  frame_[node.slot] = *optional.inside();
  const Value value = evaluate(*node.parts[1]);
  if (value.is(ValueKind::error)) return value;
  offset_ = node.offset;
  if (node.macro == Macro::opt_map) {
    charge(1);
    return optional_of(value);
  }
  return value.is(ValueKind::optional) ? value : no_such_overload();
}

Value Evaluation::sort_by(const Node& node) {
  const Value range = evaluate(*node.parts[0]);
  if (range.is(ValueKind::error)) return range;
  offset_ = node.offset;
  if (!range.is(ValueKind::list)) return no_such_overload();
  const std::size_t count = range.size();
  Value* keys = items(count);
  Value* sorted = items(count);
  if (!keys || !sorted || !charge(3)) return out_of_memory();
  std::vector<std::size_t> order(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (!charge(12)) return cancelled();
    const Value item = set_item(node, range, i);
    const Value key = item.is(ValueKind::error) ? item : evaluate(*node.parts[1]);
    if (key.is(ValueKind::error)) return key;
    new (&keys[i]) Value(key);
    order[i] = i;
  }
  offset_ = node.offset;
  const Value key_list = Value::list(keys, count);
  if (!charge(call_cost(CallCost::list_sort, &key_list, 1, key_list))) return cancelled();
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_ordered(keys[i])) return error("list elements must be comparable");
    if (keys[i].kind() != keys[0].kind()) return error("list elements must have the same type");
  }
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return compare_values(keys[a], keys[b]) == std::partial_ordering::less;
  });
  for (std::size_t i = 0; i < count; ++i) new (&sorted[i]) Value(range.at(order[i], scratch_));
  return Value::list(sorted, count);
}

}  // namespace fairway::cel
