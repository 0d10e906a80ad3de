// SPDX-License-Identifier: Apache-2.0

// Kubernetes's lists library, and the lists extension, version 3.
#include <algorithm>
#include <vector>

#include "cel/internal/library/libraries.h"
#include "cel/internal/values/call_context.h"
#include "cel/internal/values/order.h"

namespace fairway::cel {

namespace {

Value made(CallContext& context, const std::vector<Value>& values) {
  Value* items = context.items(values.size());
  if (!items) return context.out_of_memory();
  std::uninitialized_copy(values.begin(), values.end(), items);
  return Value::list(items, values.size());
}

Value is_sorted(CallContext& context, const Value* a) {
  for (std::size_t i = 1; i < a[0].size(); ++i)
    if (compare_values(a[0].at(i - 1, context.scratch()), a[0].at(i, context.scratch())) > 0)
      return Value::boolean(false);
  return Value::boolean(true);
}

template <bool smallest>
Value extreme(CallContext& context, const Value* a) {
  if (a[0].size() == 0)
    return context.error(smallest ? "min called on empty list" : "max called on empty list");
  Value best = a[0].at(0, context.scratch());
  for (std::size_t i = 0; i < a[0].size(); ++i) {
    const Value item = a[0].at(i, context.scratch());
    if (!is_ordered(item)) return context.no_such_overload();
    const std::partial_ordering order = compare_values(item, best);
    if (smallest ? order < 0 : order > 0) best = item;
  }
  return best;
}

Value sum_of_integers(CallContext& context, const Value* a) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < a[0].size(); ++i) {
    const Value item = a[0].at(i, context.scratch());
    if (!item.is(ValueKind::integer)) return context.no_such_overload();
    if (__builtin_add_overflow(sum, item.integer(), &sum)) return context.error("integer overflow");
  }
  return Value::integer(sum);
}
Value sum_of_unsigned(CallContext& context, const Value* a) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < a[0].size(); ++i) {
    const Value item = a[0].at(i, context.scratch());
    if (!item.is(ValueKind::unsigned_integer)) return context.no_such_overload();
    if (__builtin_add_overflow(sum, item.unsigned_integer(), &sum))
      return context.error("unsigned integer overflow");
  }
  return Value::unsigned_integer(sum);
}
Value sum_of_doubles(CallContext& context, const Value* a) {
  double sum = 0;
  for (std::size_t i = 0; i < a[0].size(); ++i) {
    const Value item = a[0].at(i, context.scratch());
    if (!item.is(ValueKind::floating)) return context.no_such_overload();
    sum += item.floating();
  }
  return Value::floating(sum);
}
Value sum_of_durations(CallContext& context, const Value* a) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < a[0].size(); ++i) {
    const Value item = a[0].at(i, context.scratch());
    if (!item.is(ValueKind::duration)) return context.no_such_overload();
    if (__builtin_add_overflow(sum, item.nanoseconds(), &sum)) return context.error("duration overflow");
  }
  return Value::duration(sum);
}
/// Sums items of unknown types. The four overloads have the same arguments then: the first item decides.
Value sum_of_any(CallContext& context, const Value* a) {
  if (a[0].size() == 0) return Value::integer(0);
  switch (a[0].at(0, context.scratch()).kind()) {
    case ValueKind::unsigned_integer:
      return sum_of_unsigned(context, a);
    case ValueKind::floating:
      return sum_of_doubles(context, a);
    case ValueKind::duration:
      return sum_of_durations(context, a);
    default:
      return sum_of_integers(context, a);
  }
}
template <Implementation empty>
Value sum_of(CallContext& context, const Value* a) {
  return a[0].size() == 0 ? empty(context, a) : sum_of_any(context, a);
}

Value index_of(CallContext& context, const Value* a) {
  for (std::size_t i = 0; i < a[0].size(); ++i)
    if (equal(a[0].at(i, context.scratch()), a[1], context.scratch()))
      return Value::integer(static_cast<std::int64_t>(i));
  return Value::integer(-1);
}
Value last_index_of(CallContext& context, const Value* a) {
  for (std::size_t i = a[0].size(); i > 0; --i)
    if (equal(a[0].at(i - 1, context.scratch()), a[1], context.scratch()))
      return Value::integer(static_cast<std::int64_t>(i - 1));
  return Value::integer(-1);
}

Value slice(CallContext& context, const Value* a) {
  const std::int64_t from = a[1].integer(), to = a[2].integer();
  const auto count = static_cast<std::int64_t>(a[0].size());
  if (from < 0 || to < 0)
    return context.error("cannot slice(" + std::to_string(from) + ", " + std::to_string(to) +
                         "), negative indexes not supported");
  if (from > to)
    return context.error("cannot slice(" + std::to_string(from) + ", " + std::to_string(to) +
                         "), start index must be less than or equal to end index");
  if (to > count)
    return context.error("cannot slice(" + std::to_string(from) + ", " + std::to_string(to) +
                         "), list is length " + std::to_string(count));
  std::vector<Value> values;
  for (std::int64_t i = from; i < to; ++i)
    values.push_back(a[0].at(static_cast<std::size_t>(i), context.scratch()));
  return made(context, values);
}

bool flatten_into(std::vector<Value>& out, const Value& list, std::int64_t depth, CallContext& context) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Value item = list.at(i, context.scratch());
    if (item.is(ValueKind::list) && depth > 0) {
      if (!flatten_into(out, item, depth - 1, context)) return false;
    } else {
      out.push_back(item);
      if (out.size() > Scratch::default_limit / sizeof(Value)) return false;
    }
  }
  return true;
}
Value flattened(CallContext& context, const Value& list, std::int64_t depth) {
  std::vector<Value> values;
  if (!flatten_into(values, list, depth, context)) return context.out_of_memory();
  return made(context, values);
}
Value flatten(CallContext& context, const Value* a) {
  return flattened(context, a[0], 1);
}
Value flatten_deep(CallContext& context, const Value* a) {
  if (a[1].integer() < 0) return context.error("level must be non-negative");
  return flattened(context, a[0], a[1].integer());
}

Value sort(CallContext& context, const Value* a) {
  std::vector<Value> values;
  for (std::size_t i = 0; i < a[0].size(); ++i) {
    values.push_back(a[0].at(i, context.scratch()));
    if (!is_ordered(values.back())) return context.error("list elements must be comparable");
    if (values.back().kind() != values.front().kind())
      return context.error("list elements must have the same type");
  }
  std::ranges::stable_sort(values, [](const Value& x, const Value& y) { return compare_values(x, y) < 0; });
  return made(context, values);
}

Value range(CallContext& context, const Value* a) {
  // More could not be paid for.
  if (a[0].integer() > 1'000'000) return context.error("lists.range size exceeds 1000000");
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(a[0].integer(), 0));
  Value* items = context.items(count);
  if (!items) return context.out_of_memory();
  for (std::size_t i = 0; i < count; ++i) new (&items[i]) Value(Value::integer(static_cast<std::int64_t>(i)));
  return Value::list(items, count);
}

Value reverse(CallContext& context, const Value* a) {
  std::vector<Value> values;
  for (std::size_t i = a[0].size(); i > 0; --i) values.push_back(a[0].at(i - 1, context.scratch()));
  return made(context, values);
}

Value distinct(CallContext& context, const Value* a) {
  std::vector<Value> values;
  for (std::size_t i = 0; i < a[0].size(); ++i) {
    const Value item = a[0].at(i, context.scratch());
    const bool known = std::ranges::any_of(
        values, [&](const Value& other) { return equal(item, other, context.scratch()); });
    if (!known) values.push_back(item);
  }
  return made(context, values);
}

#define FAIRWAY_CEL_COMPARABLE(name, implementation, cost, before, after)                          \
  {name, true, "list(int) -> " before "int" after, implementation, cost},                          \
      {name, true, "list(uint) -> " before "uint" after, implementation, cost},                    \
      {name, true, "list(double) -> " before "double" after, implementation, cost},                \
      {name, true, "list(bool) -> " before "bool" after, implementation, cost},                    \
      {name, true, "list(google.protobuf.Duration) -> " before "google.protobuf.Duration" after,   \
       implementation, cost},                                                                      \
      {name, true, "list(google.protobuf.Timestamp) -> " before "google.protobuf.Timestamp" after, \
       implementation, cost},                                                                      \
      {name, true, "list(string) -> " before "string" after, implementation, cost}, {              \
    name, true, "list(bytes) -> " before "bytes" after, implementation, cost                       \
  }

constexpr Overload lists_rows[] = {
    {"isSorted", true, "list(int) -> bool", is_sorted, CallCost::traverse_deep},
    {"isSorted", true, "list(uint) -> bool", is_sorted, CallCost::traverse_deep},
    {"isSorted", true, "list(double) -> bool", is_sorted, CallCost::traverse_deep},
    {"isSorted", true, "list(bool) -> bool", is_sorted, CallCost::traverse_deep},
    {"isSorted", true, "list(google.protobuf.Duration) -> bool", is_sorted, CallCost::traverse_deep},
    {"isSorted", true, "list(google.protobuf.Timestamp) -> bool", is_sorted, CallCost::traverse_deep},
    {"isSorted", true, "list(string) -> bool", is_sorted, CallCost::traverse_deep},
    {"isSorted", true, "list(bytes) -> bool", is_sorted, CallCost::traverse_deep},
    FAIRWAY_CEL_COMPARABLE("min", extreme<true>, CallCost::traverse_deep, "", ""),
    FAIRWAY_CEL_COMPARABLE("max", extreme<false>, CallCost::traverse_deep, "", ""),
    {"sum", true, "list(int) -> int", sum_of<sum_of_integers>, CallCost::traverse_deep},
    {"sum", true, "list(uint) -> uint", sum_of<sum_of_unsigned>, CallCost::traverse_deep},
    {"sum", true, "list(double) -> double", sum_of<sum_of_doubles>, CallCost::traverse_deep},
    {"sum", true, "list(google.protobuf.Duration) -> google.protobuf.Duration", sum_of<sum_of_durations>,
     CallCost::traverse_deep},
    {"indexOf", true, "list(A), A -> int", index_of, CallCost::traverse_deep},
    {"lastIndexOf", true, "list(A), A -> int", last_index_of, CallCost::traverse_deep},
    {"slice", true, "list(A), int, int -> list(A)", slice, CallCost::list_output},
    {"flatten", true, "list(list(A)) -> list(A)", flatten, CallCost::list_flatten},
    {"flatten", true, "list(dyn), int -> list(dyn)", flatten_deep, CallCost::list_flatten},
    FAIRWAY_CEL_COMPARABLE("sort", sort, CallCost::list_sort, "list(", ")"),
    {"lists.range", false, "int -> list(int)", range, CallCost::list_output},
    {"reverse", true, "list(A) -> list(A)", reverse, CallCost::list_output},
    {"distinct", true, "list(A) -> list(A)", distinct, CallCost::list_distinct},
};

#undef FAIRWAY_CEL_COMPARABLE

}  // namespace

std::span<const Overload> list_overloads() {
  return lists_rows;
}

}  // namespace fairway::cel
