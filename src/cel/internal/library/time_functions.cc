// SPDX-License-Identifier: Apache-2.0

// The parts of timestamps and durations.
#include "cel/internal/library/libraries.h"
#include "cel/internal/values/call_context.h"
#include "cel/internal/values/time.h"

namespace fairway::cel {

namespace {

using Part = std::int64_t (*)(const CivilTime&);

std::int64_t year(const CivilTime& time) {
  return time.year;
}
/// Returns the month, from 0.
std::int64_t month(const CivilTime& time) {
  return time.month - 1;
}
std::int64_t day_of_year(const CivilTime& time) {
  return time.day_of_year;
}
/// Returns the day of the month, from 0.
std::int64_t day_of_month(const CivilTime& time) {
  return time.day - 1;
}
/// Returns the day of the month, from 1.
std::int64_t date(const CivilTime& time) {
  return time.day;
}
std::int64_t day_of_week(const CivilTime& time) {
  return time.day_of_week;
}
std::int64_t hours(const CivilTime& time) {
  return time.hour;
}
std::int64_t minutes(const CivilTime& time) {
  return time.minute;
}
std::int64_t seconds(const CivilTime& time) {
  return time.second;
}

template <Part part>
Value of_time(CallContext&, const Value* a) {
  return Value::integer(part(civil_time(a[0].timestamp().seconds)));
}
template <Part part>
Value of_time_in(CallContext& context, const Value* a) {
  const std::int64_t at = a[0].timestamp().seconds;
  const std::optional<std::int64_t> offset = zone_offset(a[1].text(), at);
  if (!offset) return context.error("unknown time zone " + std::string(a[1].text()));
  return Value::integer(part(civil_time(at + *offset)));
}
Value milliseconds(CallContext&, const Value* a) {
  return Value::integer(a[0].timestamp().nanoseconds / 1'000'000);
}
Value milliseconds_in(CallContext& context, const Value* a) {
  if (!zone_offset(a[1].text(), a[0].timestamp().seconds)) return context.error("unknown time zone");
  return milliseconds(context, a);
}

template <std::int64_t unit>
Value whole(CallContext&, const Value* a) {
  return Value::integer(a[0].nanoseconds() / unit);
}
Value duration_milliseconds(CallContext&, const Value* a) {
  return Value::integer(a[0].nanoseconds() / 1'000'000);
}

#define FAIRWAY_CEL_TIME(name, part)                                         \
  {name, true, "google.protobuf.Timestamp -> int", of_time<part>}, {         \
    name, true, "google.protobuf.Timestamp, string -> int", of_time_in<part> \
  }

constexpr Overload time_functions_rows[] = {
    FAIRWAY_CEL_TIME("getFullYear", year),
    FAIRWAY_CEL_TIME("getMonth", month),
    FAIRWAY_CEL_TIME("getDayOfYear", day_of_year),
    FAIRWAY_CEL_TIME("getDayOfMonth", day_of_month),
    FAIRWAY_CEL_TIME("getDate", date),
    FAIRWAY_CEL_TIME("getDayOfWeek", day_of_week),
    FAIRWAY_CEL_TIME("getHours", hours),
    FAIRWAY_CEL_TIME("getMinutes", minutes),
    FAIRWAY_CEL_TIME("getSeconds", seconds),
    {"getMilliseconds", true, "google.protobuf.Timestamp -> int", milliseconds},
    {"getMilliseconds", true, "google.protobuf.Timestamp, string -> int", milliseconds_in},
    {"getHours", true, "google.protobuf.Duration -> int", whole<3'600'000'000'000>},
    {"getMinutes", true, "google.protobuf.Duration -> int", whole<60'000'000'000>},
    {"getSeconds", true, "google.protobuf.Duration -> int", whole<1'000'000'000>},
    {"getMilliseconds", true, "google.protobuf.Duration -> int", duration_milliseconds},
};

#undef FAIRWAY_CEL_TIME

}  // namespace

std::span<const Overload> time_overloads() {
  return time_functions_rows;
}

}  // namespace fairway::cel
