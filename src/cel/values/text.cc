// SPDX-License-Identifier: Apache-2.0

// Values as text.
#include <charconv>
#include <cmath>

#include "cel/internal/syntax/quoted.h"
#include "cel/internal/values/opaque.h"
#include "cel/internal/values/time.h"
#include "cel/values/value.h"

namespace fairway::cel {

namespace {

void append(std::string& out, const Value& value, Scratch& scratch);

void append_double(std::string& out, double value) {
  if (std::isnan(value)) {
    out += "NaN";
  } else if (std::isinf(value)) {
    out += value < 0 ? "-Infinity" : "Infinity";
  } else {
    char text[64];
    const auto [end, status] = std::to_chars(text, text + sizeof text, value);
    const std::string_view digits(text, static_cast<std::size_t>(end - text));
    out += digits;
    if (digits.find_first_of(".e") == std::string_view::npos) out += ".0";
  }
}

void append(std::string& out, const Value& value, Scratch& scratch) {
  switch (value.kind()) {
    case ValueKind::error:
      out += "error: " + std::string(value.error().message);
      break;
    case ValueKind::null_value:
      out += "null";
      break;
    case ValueKind::boolean:
      out += value.boolean() ? "true" : "false";
      break;
    case ValueKind::integer:
      out += std::to_string(value.integer());
      break;
    case ValueKind::unsigned_integer:
      out += std::to_string(value.unsigned_integer()) + "u";
      break;
    case ValueKind::floating:
      append_double(out, value.floating());
      break;
    case ValueKind::string:
    case ValueKind::bytes:
      append_quoted(out, value.text(), value.is(ValueKind::bytes));
      break;
    case ValueKind::timestamp:
      out += "timestamp(\"" + timestamp_text(value.timestamp()) + "\")";
      break;
    case ValueKind::duration:
      out += "duration(\"" + duration_text(value.nanoseconds()) + "\")";
      break;
    case ValueKind::list:
      out += '[';
      for (std::size_t i = 0; i < value.size(); ++i) {
        if (i > 0) out += ", ";
        append(out, value.at(i, scratch), scratch);
      }
      out += ']';
      break;
    case ValueKind::map:
    case ValueKind::object:
      out += '{';
      for (std::size_t i = 0; i < value.size(); ++i) {
        if (i > 0) out += ", ";
        append(out, value.key_at(i), scratch);
        out += ": ";
        append(out, value.value_at(i, scratch), scratch);
      }
      out += '}';
      break;
    case ValueKind::type:
      out += name_of(value.type());
      break;
    case ValueKind::optional:
      if (value.inside()) {
        out += "optional(";
        append(out, *value.inside(), scratch);
        out += ')';
      } else {
        out += "optional.none()";
      }
      break;
    case ValueKind::opaque:
      out += opaque_text(value.opaque());
      break;
  }
}

}  // namespace

std::string to_string(const Value& value, Scratch& scratch) {
  std::string out;
  append(out, value, scratch);
  return out;
}

}  // namespace fairway::cel
