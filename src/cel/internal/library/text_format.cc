// SPDX-License-Identifier: Apache-2.0

#include "cel/internal/library/text_format.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <vector>

#include "base/go_text.h"
#include "cel/internal/values/time.h"

namespace fairway::cel {

namespace {

/// Appends the text of %s; false for values that have none.
bool append_value(std::string& out, const Value& value, Scratch& scratch) {
  switch (value.kind()) {
    case ValueKind::null_value:
      out += "null";
      return true;
    case ValueKind::boolean:
      out += value.boolean() ? "true" : "false";
      return true;
    case ValueKind::integer:
      out += std::to_string(value.integer());
      return true;
    case ValueKind::unsigned_integer:
      out += std::to_string(value.unsigned_integer());
      return true;
    case ValueKind::floating:
      if (std::isinf(value.floating())) {
        out += value.floating() < 0 ? "-Infinity" : "Infinity";
      } else {
        out += go_number(value.floating());
      }
      return true;
    case ValueKind::string:
    case ValueKind::bytes:
      out += value.text();
      return true;
    case ValueKind::timestamp:
      out += timestamp_text(value.timestamp());
      return true;
    case ValueKind::duration:
      out += duration_text(value.nanoseconds());
      return true;
    case ValueKind::type:
      out += name_of(value.type());
      return true;
    case ValueKind::list:
      out += '[';
      for (std::size_t i = 0; i < value.size(); ++i) {
        if (i > 0) out += ", ";
        if (!append_value(out, value.at(i, scratch), scratch)) return false;
      }
      out += ']';
      return true;
    case ValueKind::map: {
      // In the order of the keys' text.
      std::vector<std::pair<std::string, std::size_t>> keys(value.size());
      for (std::size_t i = 0; i < keys.size(); ++i) {
        keys[i].second = i;
        if (!append_value(keys[i].first, value.key_at(i), scratch)) return false;
      }
      std::ranges::sort(keys);
      out += '{';
      for (std::size_t i = 0; i < keys.size(); ++i) {
        if (i > 0) out += ", ";
        out += keys[i].first + ": ";
        if (!append_value(out, value.value_at(keys[i].second, scratch), scratch)) return false;
      }
      out += '}';
      return true;
    }
    default:
      return false;
  }
}

std::string based(std::uint64_t value, bool negative, int base) {
  char text[72];
  const auto [end, status] = std::to_chars(text, text + sizeof text, value, base);
  return (negative ? "-" : "") + std::string(text, end);
}

bool append_based(std::string& out, const Value& value, char verb) {
  const int base = verb == 'b' ? 2 : verb == 'o' ? 8 : verb == 'd' ? 10 : 16;
  std::string digits;
  if (value.is(ValueKind::integer)) {
    const bool negative = value.integer() < 0;
    const auto bits = static_cast<std::uint64_t>(value.integer());
    digits = based(negative ? 0 - bits : bits, negative, base);
  } else if (value.is(ValueKind::unsigned_integer)) {
    digits = based(value.unsigned_integer(), false, base);
  } else if (value.is(ValueKind::boolean) && verb == 'b') {
    digits = value.boolean() ? "1" : "0";
  } else if (value.is(ValueKind::floating) && verb == 'd' && !std::isfinite(value.floating())) {
    digits = std::isnan(value.floating()) ? "NaN" : value.floating() < 0 ? "-Infinity" : "Infinity";
  } else if ((value.is(ValueKind::string) || value.is(ValueKind::bytes)) && base == 16) {
    static constexpr char hex[] = "0123456789abcdef";
    for (const char c : value.text()) {
      digits += hex[static_cast<unsigned char>(c) >> 4];
      digits += hex[static_cast<unsigned char>(c) & 15];
    }
  } else {
    return false;
  }
  if (verb == 'X')
    std::ranges::transform(digits, digits.begin(),
                           [](char c) { return c >= 'a' && c <= 'f' ? char(c - 32) : c; });
  out += digits;
  return true;
}

bool append_float(std::string& out, const Value& value, char verb, int precision) {
  double number = 0;
  if (value.is(ValueKind::floating)) {
    number = value.floating();
  } else if (value.is(ValueKind::integer)) {
    number = static_cast<double>(value.integer());
  } else if (value.is(ValueKind::unsigned_integer)) {
    number = static_cast<double>(value.unsigned_integer());
  } else {
    return false;
  }
  if (!std::isfinite(number)) {
    out += std::isnan(number) ? "NaN" : number < 0 ? "-Infinity" : "Infinity";
    return true;
  }
  std::string text(static_cast<std::size_t>(precision) + 400, '\0');
  const auto [end, status] =
      std::to_chars(text.data(), text.data() + text.size(), number,
                    verb == 'e' ? std::chars_format::scientific : std::chars_format::fixed, precision);
  out.append(text.data(), end);
  return true;
}

}  // namespace

std::optional<std::string> format_text(std::string_view format, const Value& items, Scratch& scratch,
                                       std::string& wrong) {
  std::string out;
  std::size_t next = 0;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      out += format[i];
      continue;
    }
    if (++i < format.size() && format[i] == '%') {
      out += '%';
      continue;
    }
    int precision = 6;
    if (i < format.size() && format[i] == '.') {
      precision = 0;
      for (++i; i < format.size() && format[i] >= '0' && format[i] <= '9'; ++i)
        precision = std::min(precision * 10 + (format[i] - '0'), 100000);
      if (precision > 1000) {
        wrong = "precision is too large";
        return std::nullopt;
      }
    }
    if (i >= format.size()) {
      wrong = "unexpected end of format string";
      return std::nullopt;
    }
    const char verb = format[i];
    if (std::string_view("sdfeboxX").find(verb) == std::string_view::npos) {
      wrong = "could not parse formatting clause: unrecognized formatting clause \"" + std::string(1, verb) +
              "\"";
      return std::nullopt;
    }
    if (next >= items.size()) {
      wrong = "index " + std::to_string(next) + " out of range";
      return std::nullopt;
    }
    const Value item = items.at(next++, scratch);
    const bool done = verb == 's'                  ? append_value(out, item, scratch)
                      : verb == 'f' || verb == 'e' ? append_float(out, item, verb, precision)
                                                   : append_based(out, item, verb);
    if (!done) {
      wrong = "error during formatting: clause \"" + std::string(1, verb) +
              "\" does not take a value of type " + std::string(name_of(type_of_value(item)));
      return std::nullopt;
    }
    if (out.size() > Scratch::default_limit) {
      wrong = "evaluation needs too much memory";
      return std::nullopt;
    }
  }
  return out;
}

}  // namespace fairway::cel
