// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/table/printer_column.h"

#include <cmath>
#include <cstdint>
#include <utility>

#include "base/go_text.h"
#include "k8s/view.h"

namespace fairway::apiserver::table {

namespace {

/// Seconds above which Go's time.Duration, in nanoseconds, overflows.
constexpr std::int64_t max_seconds = 9'223'372'036;

std::string with_rest(std::int64_t whole, const char* unit, std::int64_t rest, const char* rest_unit) {
  std::string text = std::to_string(whole) + unit;
  if (rest != 0) text += std::to_string(rest) + rest_unit;
  return text;
}

/// Returns a value as Go's text/template prints it.
std::string printed(const json::Value& value) {
  if (value.is_null()) return "<no value>";
  if (value.is_string()) return std::string(value.get_string());
  if (value.is_double()) return go_number(value.get_double());
  // Beyond int64 a float, to Go's decoder.
  if (value.is_uint64()) return go_number(static_cast<double>(value.get_uint64()));
  std::string text;
  append_go_json(text, value);
  return text;
}

json::Value integer_cell(const json::Value& value) {
  if (value.is_int64()) return value;
  if (!value.is_double()) return nullptr;
  // The range of 64 bits; outside of it Go's conversion gives any number.
  if (!(std::fabs(value.get_double()) < 9.2e18)) return nullptr;
  return static_cast<std::int64_t>(value.get_double());
}

json::Value date_cell(const json::Value& value, WallTime now) {
  if (!value.is_string()) return nullptr;
  if (value.get_string().empty()) return "<unknown>";
  const json::Object holder{{"time", value}};
  const auto time = k8s::View(holder).find_time("time");
  if (!time) return "<invalid>";
  return json::Value(human_duration(std::chrono::floor<std::chrono::seconds>(now - *time)));
}

}  // namespace

std::string human_duration(std::chrono::seconds age) {
  const std::int64_t seconds = age.count();
  if (seconds < -1 || seconds > max_seconds) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return std::to_string(seconds) + "s";
  const std::int64_t minutes = seconds / 60, hours = seconds / 3600, days = hours / 24, years = days / 365;
  if (minutes < 10) return with_rest(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return std::to_string(minutes) + "m";
  if (hours < 8) return with_rest(hours, "h", minutes % 60, "m");
  if (hours < 48) return std::to_string(hours) + "h";
  if (hours < 24 * 8) return with_rest(days, "d", hours % 24, "h");
  if (hours < 24 * 365 * 2) return std::to_string(days) + "d";
  if (hours < 24 * 365 * 8) return with_rest(years, "y", days % 365, "d");
  return std::to_string(years) + "y";
}

Result<PrinterColumn> PrinterColumn::of(std::string_view json_path, std::string_view type) {
  auto path = JsonPath::parse(json_path);
  if (!path) return fail(std::move(path.error()));
  constexpr std::pair<std::string_view, Type> types[] = {{"string", Type::text},
                                                         {"integer", Type::integer},
                                                         {"number", Type::number},
                                                         {"boolean", Type::boolean},
                                                         {"date", Type::date}};
  for (const auto& [name, known] : types) {
    if (name == type) return PrinterColumn(std::move(*path), known);
  }
  return PrinterColumn(std::move(*path), Type::other);
}

json::Value PrinterColumn::cell(const json::Value& object, WallTime now) const {
  const auto values = path_.find(object);
  if (!values || values->empty()) return nullptr;
  const json::Value& value = *values->front();
  switch (type_) {
    case Type::text:
      return json::Value(printed(value));
    case Type::integer:
      return integer_cell(value);
    case Type::number:
      return value.is_number() ? value : json::Value(nullptr);
    case Type::boolean:
      return value.is_bool() ? value : json::Value(nullptr);
    case Type::date:
      return date_cell(value, now);
    case Type::other:
      return nullptr;
  }
  return nullptr;
}

}  // namespace fairway::apiserver::table
