#include "apiserver/table/internal/printer_column.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

#include "k8s/view.h"

namespace fairway::apiserver::table {

namespace {

/// Above this Go's time.Duration, in nanoseconds, overflows.
constexpr std::int64_t max_seconds = 9'223'372'036;

std::string with_rest(std::int64_t whole, const char* unit, std::int64_t rest, const char* rest_unit) {
  std::string text = std::to_string(whole) + unit;
  if (rest != 0) text += std::to_string(rest) + rest_unit;
  return text;
}

/// As Go writes a float64 with %v.
std::string go_text(double number) {
  std::array<char, 512> buffer{};
  const double size = std::fabs(number);
  const bool is_plain = number == 0 || (size >= 1e-4 && size < 1e21);
  const auto format = is_plain ? std::chars_format::fixed : std::chars_format::scientific;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, format).ptr;
  return {buffer.data(), end};
}

/// As Go's encoding/json writes it: members by name, and what is special in HTML escaped.
void append_go_json(std::string& out, const json::Value& value) {
  if (const auto* list = value.if_array()) {
    out += '[';
    for (const json::Value& item : *list) {
      if (&item != list->begin()) out += ',';
      append_go_json(out, item);
    }
    out += ']';
  } else if (const auto* object = value.if_object()) {
    std::map<std::string_view, const json::Value*> members;
    for (const auto& member : *object) members.emplace(member.key(), &member.value());
    out += '{';
    for (const auto& [name, member] : members) {
      if (out.back() != '{') out += ',';
      append_go_json(out, json::Value(name));
      out += ':';
      append_go_json(out, *member);
    }
    out += '}';
  } else {
    std::string text = json::to_text(value);
    if (value.is_double() && text.ends_with(".0")) text.resize(text.size() - 2);
    for (const char c : text) {
      if (c == '<') {
        out += "\\u003c";
      } else if (c == '>') {
        out += "\\u003e";
      } else if (c == '&') {
        out += "\\u0026";
      } else {
        out += c;
      }
    }
  }
}

/// As Go's text/template prints a value.
std::string printed(const json::Value& value) {
  if (value.is_null()) return "<no value>";
  if (value.is_string()) return std::string(value.get_string());
  if (value.is_double()) return go_text(value.get_double());
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
