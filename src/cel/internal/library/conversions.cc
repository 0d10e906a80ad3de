// SPDX-License-Identifier: Apache-2.0

// Conversions between the types of the language.
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "base/go_text.h"
#include "base/text.h"
#include "cel/internal/library/libraries.h"
#include "cel/internal/library/number_text.h"
#include "cel/internal/values/call_context.h"
#include "cel/internal/values/time.h"

namespace fairway::cel {

namespace {

Value same(CallContext&, const Value* a) {
  return a[0];
}

Value int_of_uint(CallContext& context, const Value* a) {
  if (a[0].unsigned_integer() > INT64_MAX) return context.error("integer overflow");
  return Value::integer(static_cast<std::int64_t>(a[0].unsigned_integer()));
}
Value int_of_double(CallContext& context, const Value* a) {
  const double value = a[0].floating();
  // Both ends are out of range, as doubles there are not exact.
  if (!(value > -9223372036854775808.0 && value < 9223372036854775808.0))
    return context.error("integer overflow");
  return Value::integer(static_cast<std::int64_t>(value));
}
Value int_of_text(CallContext& context, const Value* a) {
  std::string_view text = a[0].text();
  if (text.starts_with('+')) text.remove_prefix(text.size() > 1 && text[1] != '-' ? 1 : 0);
  std::int64_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size())
    return context.error("type conversion error from 'string' to 'int'");
  return Value::integer(value);
}
Value int_of_time(CallContext&, const Value* a) {
  return Value::integer(a[0].timestamp().seconds);
}
Value int_of_duration(CallContext&, const Value* a) {
  return Value::integer(a[0].nanoseconds());
}

Value uint_of_int(CallContext& context, const Value* a) {
  if (a[0].integer() < 0) return context.error("unsigned integer overflow");
  return Value::unsigned_integer(static_cast<std::uint64_t>(a[0].integer()));
}
Value uint_of_double(CallContext& context, const Value* a) {
  const double value = a[0].floating();
  if (!(value > -1 && value < 18446744073709551616.0) || value < 0)
    return context.error("unsigned integer overflow");
  return Value::unsigned_integer(static_cast<std::uint64_t>(value));
}
Value uint_of_text(CallContext& context, const Value* a) {
  const std::string_view text = a[0].text();
  std::uint64_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size())
    return context.error("type conversion error from 'string' to 'uint'");
  return Value::unsigned_integer(value);
}

Value double_of_int(CallContext&, const Value* a) {
  return Value::floating(static_cast<double>(a[0].integer()));
}
Value double_of_uint(CallContext&, const Value* a) {
  return Value::floating(static_cast<double>(a[0].unsigned_integer()));
}
Value double_of_text(CallContext& context, const Value* a) {
  const std::optional<double> value = parse_go_float(a[0].text());
  if (!value) return context.error("type conversion error from 'string' to 'double'");
  return Value::floating(*value);
}

Value bool_of_text(CallContext& context, const Value* a) {
  const std::string_view text = a[0].text();
  for (const std::string_view word : {"1", "t", "T", "true", "TRUE", "True"})
    if (text == word) return Value::boolean(true);
  for (const std::string_view word : {"0", "f", "F", "false", "FALSE", "False"})
    if (text == word) return Value::boolean(false);
  return context.error("type conversion error from 'string' to 'bool'");
}

Value text_of_bool(CallContext&, const Value* a) {
  return Value::string(a[0].boolean() ? "true" : "false");
}
Value text_of_int(CallContext& context, const Value* a) {
  return context.string(std::to_string(a[0].integer()));
}
Value text_of_uint(CallContext& context, const Value* a) {
  return context.string(std::to_string(a[0].unsigned_integer()));
}
Value text_of_double(CallContext& context, const Value* a) {
  return context.string(go_number(a[0].floating()));
}
Value text_of_bytes(CallContext& context, const Value* a) {
  if (!is_utf8(a[0].text())) return context.error("invalid UTF-8 in bytes, cannot convert to string");
  return Value::string(a[0].text());
}
Value text_of_time(CallContext& context, const Value* a) {
  return context.string(timestamp_text(a[0].timestamp()));
}
Value text_of_duration(CallContext& context, const Value* a) {
  return context.string(duration_text(a[0].nanoseconds()));
}
Value bytes_of_text(CallContext&, const Value* a) {
  return Value::bytes(a[0].text());
}

Value time_of_text(CallContext& context, const Value* a) {
  const std::optional<Timestamp> time = parse_timestamp(a[0].text());
  if (!time) return context.error("type conversion error from 'string' to 'google.protobuf.Timestamp'");
  return Value::timestamp(*time);
}
Value time_of_int(CallContext& context, const Value* a) {
  if (a[0].integer() < first_second || a[0].integer() > last_second)
    return context.error("timestamp overflow");
  return Value::timestamp({a[0].integer(), 0});
}
Value duration_of_text(CallContext& context, const Value* a) {
  const std::optional<std::int64_t> duration = parse_go_duration(a[0].text());
  if (!duration) return context.error("type conversion error from 'string' to 'google.protobuf.Duration'");
  return Value::duration(*duration);
}
Value duration_of_int(CallContext&, const Value* a) {
  return Value::duration(a[0].integer());
}

constexpr Overload conversions_rows[] = {
    {"bool", false, "bool -> bool", same},
    {"bool", false, "string -> bool", bool_of_text},
    {"bytes", false, "bytes -> bytes", same},
    {"bytes", false, "string -> bytes", bytes_of_text, CallCost::traverse},
    {"double", false, "double -> double", same},
    {"double", false, "int -> double", double_of_int},
    {"double", false, "uint -> double", double_of_uint},
    {"double", false, "string -> double", double_of_text},
    {"duration", false, "google.protobuf.Duration -> google.protobuf.Duration", same},
    {"duration", false, "string -> google.protobuf.Duration", duration_of_text},
    {"duration", false, "int -> google.protobuf.Duration", duration_of_int},
    {"dyn", false, "A -> dyn", same},
    {"int", false, "int -> int", same},
    {"int", false, "uint -> int", int_of_uint},
    {"int", false, "double -> int", int_of_double},
    {"int", false, "string -> int", int_of_text},
    {"int", false, "google.protobuf.Timestamp -> int", int_of_time},
    {"int", false, "google.protobuf.Duration -> int", int_of_duration},
    {"string", false, "string -> string", same},
    {"string", false, "bool -> string", text_of_bool},
    {"string", false, "int -> string", text_of_int},
    {"string", false, "uint -> string", text_of_uint},
    {"string", false, "double -> string", text_of_double},
    {"string", false, "bytes -> string", text_of_bytes, CallCost::traverse},
    {"string", false, "google.protobuf.Timestamp -> string", text_of_time},
    {"string", false, "google.protobuf.Duration -> string", text_of_duration},
    {"timestamp", false, "google.protobuf.Timestamp -> google.protobuf.Timestamp", same},
    {"timestamp", false, "string -> google.protobuf.Timestamp", time_of_text},
    {"timestamp", false, "int -> google.protobuf.Timestamp", time_of_int},
    {"uint", false, "uint -> uint", same},
    {"uint", false, "int -> uint", uint_of_int},
    {"uint", false, "double -> uint", uint_of_double},
    {"uint", false, "string -> uint", uint_of_text},
};

}  // namespace

std::span<const Overload> conversion_overloads() {
  return conversions_rows;
}

}  // namespace fairway::cel
