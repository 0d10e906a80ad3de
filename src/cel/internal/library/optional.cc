// SPDX-License-Identifier: Apache-2.0

// Optional values.
#include <memory>

#include "cel/internal/library/libraries.h"
#include "cel/internal/values/call_context.h"

namespace fairway::cel {

namespace {

Value none(CallContext&, const Value*) {
  return Value::optional(nullptr);
}
Value of(CallContext& context, const Value* a) {
  return context.optional_of(a[0]);
}
bool is_zero(const Value& value) {
  switch (value.kind()) {
    case ValueKind::null_value:
      return true;
    case ValueKind::boolean:
      return !value.boolean();
    case ValueKind::integer:
      return value.integer() == 0;
    case ValueKind::unsigned_integer:
      return value.unsigned_integer() == 0;
    case ValueKind::floating:
      return value.floating() == 0;
    case ValueKind::string:
    case ValueKind::bytes:
      return value.text().empty();
    case ValueKind::list:
    case ValueKind::map:
    case ValueKind::object:
      return value.size() == 0;
    case ValueKind::duration:
      return value.nanoseconds() == 0;
    case ValueKind::optional:
      return !value.inside();
    default:
      return false;
  }
}
Value of_non_zero(CallContext& context, const Value* a) {
  return is_zero(a[0]) ? Value::optional(nullptr) : context.optional_of(a[0]);
}
Value value(CallContext& context, const Value* a) {
  return a[0].inside() ? *a[0].inside() : context.error("optional.none() dereference");
}
Value has_value(CallContext&, const Value* a) {
  return Value::boolean(a[0].inside() != nullptr);
}
Value first(CallContext& context, const Value* a) {
  return a[0].size() == 0 ? Value::optional(nullptr) : context.optional_of(a[0].at(0, context.scratch()));
}
Value last(CallContext& context, const Value* a) {
  const std::size_t size = a[0].size();
  return size == 0 ? Value::optional(nullptr) : context.optional_of(a[0].at(size - 1, context.scratch()));
}
/// Returns the values inside the optionals of a list that are not none.
Value unwrap(CallContext& context, const Value* a) {
  Value* items = context.items(a[0].size());
  if (!items) return context.out_of_memory();
  std::size_t count = 0;
  for (std::size_t i = 0; i < a[0].size(); ++i) {
    const Value item = a[0].at(i, context.scratch());
    if (!item.is(ValueKind::optional)) return context.no_such_overload();
    if (item.inside()) std::construct_at(items + count++, *item.inside());
  }
  return Value::list(items, count);
}
Value never(CallContext& context, const Value*) {
  return context.no_such_overload();
}

constexpr Overload optional_rows[] = {
    {"optional.none", false, "-> optional_type(A)", none},
    {"optional.of", false, "A -> optional_type(A)", of},
    {"optional.ofNonZeroValue", false, "A -> optional_type(A)", of_non_zero},
    {"value", true, "optional_type(A) -> A", value},
    {"hasValue", true, "optional_type(A) -> bool", has_value},
    {"first", true, "list(A) -> optional_type(A)", first},
    {"last", true, "list(A) -> optional_type(A)", last},
    {"optional.unwrap", false, "list(optional_type(A)) -> list(A)", unwrap},
    {"unwrapOpt", true, "list(optional_type(A)) -> list(A)", unwrap},
    {"or", true, "optional_type(A), optional_type(A) -> optional_type(A)", never, CallCost::nothing},
    {"orValue", true, "optional_type(A), A -> A", never, CallCost::nothing},
    {"_[_]", false, "optional_type(list(A)), int -> optional_type(A)", never},
    {"_[_]", false, "optional_type(map(A, B)), A -> optional_type(B)", never},
    {"_[?_]", false, "list(A), int -> optional_type(A)", never},
    {"_[?_]", false, "optional_type(list(A)), int -> optional_type(A)", never},
    {"_[?_]", false, "map(A, B), A -> optional_type(B)", never},
    {"_[?_]", false, "optional_type(map(A, B)), A -> optional_type(B)", never},
};

}  // namespace

std::span<const Overload> optional_overloads() {
  return optional_rows;
}

}  // namespace fairway::cel
