// SPDX-License-Identifier: Apache-2.0

// The sets extension.
#include "cel/internal/library/libraries.h"
#include "cel/internal/values/call_context.h"

namespace fairway::cel {

namespace {

bool has(const Value& list, const Value& item, Scratch& scratch) {
  for (std::size_t i = 0; i < list.size(); ++i)
    if (equal(list.at(i, scratch), item, scratch)) return true;
  return false;
}
bool has_all(const Value& list, const Value& items, Scratch& scratch) {
  for (std::size_t i = 0; i < items.size(); ++i)
    if (!has(list, items.at(i, scratch), scratch)) return false;
  return true;
}

Value contains(CallContext& context, const Value* a) {
  return Value::boolean(has_all(a[0], a[1], context.scratch()));
}
Value equivalent(CallContext& context, const Value* a) {
  return Value::boolean(has_all(a[0], a[1], context.scratch()) && has_all(a[1], a[0], context.scratch()));
}
Value intersects(CallContext& context, const Value* a) {
  for (std::size_t i = 0; i < a[1].size(); ++i)
    if (has(a[0], a[1].at(i, context.scratch()), context.scratch())) return Value::boolean(true);
  return Value::boolean(false);
}

constexpr Overload sets_rows[] = {
    {"sets.contains", false, "list(A), list(A) -> bool", contains, CallCost::sets},
    {"sets.equivalent", false, "list(A), list(A) -> bool", equivalent, CallCost::sets_equivalent},
    {"sets.intersects", false, "list(A), list(A) -> bool", intersects, CallCost::sets},
};

}  // namespace

std::span<const Overload> set_overloads() {
  return sets_rows;
}

}  // namespace fairway::cel
