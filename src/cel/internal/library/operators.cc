// SPDX-License-Identifier: Apache-2.0

// Operators: arithmetic that never wraps around, comparison, membership, size.
#include <cmath>

#include "cel/internal/library/libraries.h"
#include "cel/internal/syntax/utf8.h"
#include "cel/internal/values/call_context.h"
#include "cel/internal/values/numbers.h"
#include "cel/internal/values/order.h"
#include "cel/internal/values/time.h"

namespace fairway::cel {

namespace {

template <auto Operation>
Value on_integers(CallContext& context, const Value* a) {
  std::int64_t result = 0;
  if (!Operation(a[0].integer(), a[1].integer(), &result)) return context.error("integer overflow");
  return Value::integer(result);
}
template <auto Operation>
Value on_unsigned(CallContext& context, const Value* a) {
  std::uint64_t result = 0;
  if (!Operation(a[0].unsigned_integer(), a[1].unsigned_integer(), &result))
    return context.error("unsigned integer overflow");
  return Value::unsigned_integer(result);
}

template <class T>
bool add(T a, T b, T* out) {
  return !__builtin_add_overflow(a, b, out);
}
template <class T>
bool subtract(T a, T b, T* out) {
  return !__builtin_sub_overflow(a, b, out);
}
template <class T>
bool multiply(T a, T b, T* out) {
  return !__builtin_mul_overflow(a, b, out);
}

Value add_doubles(CallContext&, const Value* a) {
  return Value::floating(a[0].floating() + a[1].floating());
}
Value subtract_doubles(CallContext&, const Value* a) {
  return Value::floating(a[0].floating() - a[1].floating());
}
Value multiply_doubles(CallContext&, const Value* a) {
  return Value::floating(a[0].floating() * a[1].floating());
}
Value divide_doubles(CallContext&, const Value* a) {
  return Value::floating(a[0].floating() / a[1].floating());
}
Value divide_integers(CallContext& context, const Value* a) {
  if (a[1].integer() == 0) return context.error("division by zero");
  if (a[0].integer() == INT64_MIN && a[1].integer() == -1) return context.error("integer overflow");
  return Value::integer(a[0].integer() / a[1].integer());
}
Value divide_unsigned(CallContext& context, const Value* a) {
  if (a[1].unsigned_integer() == 0) return context.error("division by zero");
  return Value::unsigned_integer(a[0].unsigned_integer() / a[1].unsigned_integer());
}
Value modulo_integers(CallContext& context, const Value* a) {
  if (a[1].integer() == 0) return context.error("modulus by zero");
  if (a[0].integer() == INT64_MIN && a[1].integer() == -1) return context.error("integer overflow");
  return Value::integer(a[0].integer() % a[1].integer());
}
Value modulo_unsigned(CallContext& context, const Value* a) {
  if (a[1].unsigned_integer() == 0) return context.error("modulus by zero");
  return Value::unsigned_integer(a[0].unsigned_integer() % a[1].unsigned_integer());
}
Value negate_integer(CallContext& context, const Value* a) {
  if (a[0].integer() == INT64_MIN) return context.error("integer overflow");
  return Value::integer(-a[0].integer());
}
Value negate_double(CallContext&, const Value* a) {
  return Value::floating(-a[0].floating());
}
Value negate_boolean(CallContext&, const Value* a) {
  return Value::boolean(!a[0].boolean());
}

Value add_text(CallContext& context, const Value* a) {
  const std::string_view left = a[0].text();
  const std::string_view right = a[1].text();
  char* place = context.scratch().allocate_array<char>(left.size() + right.size());
  if (!place || left.size() + right.size() > UINT32_MAX) return context.out_of_memory();
  left.copy(place, left.size());
  right.copy(place + left.size(), right.size());
  const std::string_view all(place, left.size() + right.size());
  return a[0].is(ValueKind::string) ? Value::string(all) : Value::bytes(all);
}

/// Adds two lists. As in Kubernetes, a set gets only the missing items, and a map list gets the missing items
/// and replaces those of equal keys.
Value add_lists(CallContext& context, const Value* a) {
  Scratch& scratch = context.scratch();
  const std::size_t left = a[0].size();
  const std::size_t right = a[1].size();
  Value* items = context.items(left + right);
  if (!items) return context.out_of_memory();
  for (std::size_t i = 0; i < left; ++i) new (&items[i]) Value(a[0].at(i, scratch));
  std::size_t count = left;
  const Type* type = a[0].declared();
  const ListEquality kind = type ? type->equality : ListEquality::atomic;
  for (std::size_t i = 0; i < right; ++i) {
    const Value item = a[1].at(i, scratch);
    std::size_t same = count;
    for (std::size_t j = 0; kind != ListEquality::atomic && j < left && same == count; ++j) {
      bool match = kind == ListEquality::set && equal(items[j], item, scratch);
      if (kind == ListEquality::map && item.is(ValueKind::object) && items[j].is(ValueKind::object)) {
        match = true;
        for (const std::string& key : type->keys) {
          const json::Value* x = items[j].members().if_contains(key);
          const json::Value* y = item.members().if_contains(key);
          match &= !x == !y && (!x || *x == *y);
        }
      }
      if (match) same = j;
    }
    if (same == count) {
      new (&items[count++]) Value(item);
    } else if (kind == ListEquality::map) {
      items[same] = item;
    }
  }
  return Value::list(items, count);
}

constexpr std::int64_t second = 1'000'000'000;

Value moved(CallContext& context, Timestamp time, std::int64_t by, bool back) {
  __int128 total = static_cast<__int128>(time.seconds) * second + time.nanoseconds;
  total += back ? -static_cast<__int128>(by) : static_cast<__int128>(by);
  __int128 seconds = total / second;
  __int128 rest = total % second;
  if (rest < 0) {
    rest += second;
    --seconds;
  }
  if (seconds < first_second || seconds > last_second) return context.error("timestamp overflow");
  return Value::timestamp({static_cast<std::int64_t>(seconds), static_cast<std::uint32_t>(rest)});
}
Value time_plus_duration(CallContext& context, const Value* a) {
  return moved(context, a[0].timestamp(), a[1].nanoseconds(), false);
}
Value duration_plus_time(CallContext& context, const Value* a) {
  return moved(context, a[1].timestamp(), a[0].nanoseconds(), false);
}
Value time_minus_duration(CallContext& context, const Value* a) {
  return moved(context, a[0].timestamp(), a[1].nanoseconds(), true);
}
Value time_minus_time(CallContext& context, const Value* a) {
  const auto whole = [](Timestamp time) {
    return static_cast<__int128>(time.seconds) * second + time.nanoseconds;
  };
  const __int128 between = whole(a[0].timestamp()) - whole(a[1].timestamp());
  if (between > INT64_MAX || between < INT64_MIN) return context.error("duration overflow");
  return Value::duration(static_cast<std::int64_t>(between));
}
Value add_durations(CallContext& context, const Value* a) {
  std::int64_t result = 0;
  if (!add(a[0].nanoseconds(), a[1].nanoseconds(), &result)) return context.error("duration overflow");
  return Value::duration(result);
}
Value subtract_durations(CallContext& context, const Value* a) {
  std::int64_t result = 0;
  if (!subtract(a[0].nanoseconds(), a[1].nanoseconds(), &result)) return context.error("duration overflow");
  return Value::duration(result);
}

Value less(CallContext&, const Value* a) {
  return Value::boolean(compare_values(a[0], a[1]) < 0);
}
Value less_equal(CallContext&, const Value* a) {
  return Value::boolean(compare_values(a[0], a[1]) <= 0);
}
Value greater(CallContext&, const Value* a) {
  return Value::boolean(compare_values(a[0], a[1]) > 0);
}
Value greater_equal(CallContext&, const Value* a) {
  return Value::boolean(compare_values(a[0], a[1]) >= 0);
}

Value in_list(CallContext& context, const Value* a) {
  const std::size_t count = a[1].size();
  for (std::size_t i = 0; i < count; ++i)
    if (equal(a[0], a[1].at(i, context.scratch()), context.scratch())) return Value::boolean(true);
  return Value::boolean(false);
}
Value in_map(CallContext& context, const Value* a) {
  return Value::boolean(a[1].find(a[0], context.scratch()).has_value());
}

Value size_of_text(CallContext&, const Value* a) {
  return Value::integer(static_cast<std::int64_t>(count_code_points(a[0].text())));
}
Value size_of_bytes(CallContext&, const Value* a) {
  return Value::integer(static_cast<std::int64_t>(a[0].text().size()));
}
Value size_of_container(CallContext&, const Value* a) {
  return Value::integer(static_cast<std::int64_t>(a[0].size()));
}
Value type_of_argument(CallContext&, const Value* a) {
  return Value::type(&type_of_value(a[0]));
}

// Declarations for the checker; the evaluator has nodes of its own for them.
Value never(CallContext& context, const Value*) {
  return context.no_such_overload();
}

constexpr Overload operators_rows[] = {
    // Overloads in the order of cel-go: a value of a type that is not known takes that of the first.
    {"_+_", false, "bytes, bytes -> bytes", add_text, CallCost::concatenate},
    {"_+_", false, "double, double -> double", add_doubles},
    {"_+_", false, "google.protobuf.Duration, google.protobuf.Duration -> google.protobuf.Duration",
     add_durations},
    {"_+_", false, "google.protobuf.Duration, google.protobuf.Timestamp -> google.protobuf.Timestamp",
     duration_plus_time},
    {"_+_", false, "google.protobuf.Timestamp, google.protobuf.Duration -> google.protobuf.Timestamp",
     time_plus_duration},
    {"_+_", false, "int, int -> int", on_integers<add<std::int64_t>>},
    {"_+_", false, "list(A), list(A) -> list(A)", add_lists},
    {"_+_", false, "string, string -> string", add_text, CallCost::concatenate},
    {"_+_", false, "uint, uint -> uint", on_unsigned<add<std::uint64_t>>},
    {"_-_", false, "double, double -> double", subtract_doubles},
    {"_-_", false, "google.protobuf.Duration, google.protobuf.Duration -> google.protobuf.Duration",
     subtract_durations},
    {"_-_", false, "int, int -> int", on_integers<subtract<std::int64_t>>},
    {"_-_", false, "google.protobuf.Timestamp, google.protobuf.Duration -> google.protobuf.Timestamp",
     time_minus_duration},
    {"_-_", false, "google.protobuf.Timestamp, google.protobuf.Timestamp -> google.protobuf.Duration",
     time_minus_time},
    {"_-_", false, "uint, uint -> uint", on_unsigned<subtract<std::uint64_t>>},
    {"_*_", false, "double, double -> double", multiply_doubles},
    {"_*_", false, "int, int -> int", on_integers<multiply<std::int64_t>>},
    {"_*_", false, "uint, uint -> uint", on_unsigned<multiply<std::uint64_t>>},
    {"_/_", false, "double, double -> double", divide_doubles},
    {"_/_", false, "int, int -> int", divide_integers},
    {"_/_", false, "uint, uint -> uint", divide_unsigned},
    {"_%_", false, "int, int -> int", modulo_integers},
    {"_%_", false, "uint, uint -> uint", modulo_unsigned},
    {"-_", false, "double -> double", negate_double},
    {"-_", false, "int -> int", negate_integer},
    {"!_", false, "bool -> bool", negate_boolean},
#define FAIRWAY_CEL_COMPARISON(name, implementation)                                                      \
  {name, false, "bool, bool -> bool", implementation}, {name, false, "int, int -> bool", implementation}, \
      {name, false, "int, uint -> bool", implementation},                                                 \
      {name, false, "int, double -> bool", implementation},                                               \
      {name, false, "uint, uint -> bool", implementation},                                                \
      {name, false, "uint, int -> bool", implementation},                                                 \
      {name, false, "uint, double -> bool", implementation},                                              \
      {name, false, "double, double -> bool", implementation},                                            \
      {name, false, "double, int -> bool", implementation},                                               \
      {name, false, "double, uint -> bool", implementation},                                              \
      {name, false, "string, string -> bool", implementation, CallCost::compare},                         \
      {name, false, "bytes, bytes -> bool", implementation, CallCost::compare},                           \
      {name, false, "google.protobuf.Timestamp, google.protobuf.Timestamp -> bool", implementation}, {    \
    name, false, "google.protobuf.Duration, google.protobuf.Duration -> bool", implementation             \
  }
    FAIRWAY_CEL_COMPARISON("_<_", less),
    FAIRWAY_CEL_COMPARISON("_<=_", less_equal),
    FAIRWAY_CEL_COMPARISON("_>_", greater),
    FAIRWAY_CEL_COMPARISON("_>=_", greater_equal),
#undef FAIRWAY_CEL_COMPARISON
    {"@in", false, "A, list(A) -> bool", in_list, CallCost::in_list},
    {"@in", false, "A, map(A, B) -> bool", in_map},
    {"size", false, "bytes -> int", size_of_bytes},
    {"size", false, "list(A) -> int", size_of_container},
    {"size", false, "map(A, B) -> int", size_of_container},
    {"size", false, "string -> int", size_of_text},
    {"size", true, "bytes -> int", size_of_bytes},
    {"size", true, "list(A) -> int", size_of_container},
    {"size", true, "map(A, B) -> int", size_of_container},
    {"size", true, "string -> int", size_of_text},
    {"type", false, "A -> type(A)", type_of_argument},
    {"_==_", false, "A, A -> bool", never, CallCost::equality},
    {"_!=_", false, "A, A -> bool", never, CallCost::compare},
    {"_&&_", false, "bool, bool -> bool", never, CallCost::nothing},
    {"_||_", false, "bool, bool -> bool", never, CallCost::nothing},
    {"_?_:_", false, "bool, A, A -> A", never, CallCost::nothing},
    {"_[_]", false, "list(A), int -> A", never},
    {"_[_]", false, "map(A, B), A -> B", never},
};

}  // namespace

std::span<const Overload> operator_overloads() {
  return operators_rows;
}

}  // namespace fairway::cel
