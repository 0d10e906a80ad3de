// SPDX-License-Identifier: Apache-2.0

#include "base/go_text.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "base/internal/shortest_digits.h"

namespace fairway {

namespace {

std::string not_finite(double value) {
  if (std::isnan(value)) return "NaN";
  return value > 0 ? "+Inf" : "-Inf";
}

void append_json_number(std::string& out, double value) {
  const internal::ShortestDigits digits(value);
  if (digits.exponent() < -6 || digits.exponent() >= 21) {
    digits.append_scientific(out, 1);
  } else {
    digits.append_plain(out);
  }
}

/// U+2028 and U+2029 end lines in JavaScript.
bool is_line_end(std::string_view text, std::size_t at) {
  return text.compare(at, 3, "\u2028") == 0 || text.compare(at, 3, "\u2029") == 0;
}

}  // namespace

std::string go_plain_number(double value) {
  if (!std::isfinite(value)) return not_finite(value);
  std::string out;
  internal::ShortestDigits(value).append_plain(out);
  return out;
}

std::string go_number(double value) {
  if (!std::isfinite(value)) return not_finite(value);
  const internal::ShortestDigits digits(value);
  std::string out;
  if (digits.exponent() < -4 || digits.exponent() >= 6) {
    digits.append_scientific(out, 2);
  } else {
    digits.append_plain(out);
  }
  return out;
}

void append_go_json_text(std::string& out, std::string_view text, GoEncoder encoder) {
  std::string quoted;
  json::append_quoted(quoted, text);
  for (std::size_t i = 0; i < quoted.size(); ++i) {
    const char c = quoted[i];
    if (c == '\\') {
      const char escaped = quoted[++i];
      if (encoder == GoEncoder::json_iterator && (escaped == 'b' || escaped == 'f')) {
        out += escaped == 'b' ? "\\u0008" : "\\u000c";
      } else {
        (out += c) += escaped;
      }
    } else if (c == '<' || c == '>' || c == '&') {
      out += c == '<' ? "\\u003c" : c == '>' ? "\\u003e" : "\\u0026";
    } else if (c == '\xe2' && is_line_end(quoted, i)) {
      out += quoted[i + 2] == '\xa8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      out += c;
    }
  }
}

void append_go_json(std::string& out, const json::Value& value, GoEncoder encoder) {
  if (const json::Object* object = value.if_object()) {
    std::vector<std::pair<std::string_view, const json::Value*>> members;
    members.reserve(object->size());
    for (const auto& member : *object) members.emplace_back(member.key(), &member.value());
    std::ranges::sort(members);
    out += '{';
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (i != 0) out += ',';
      append_go_json_text(out, members[i].first, encoder);
      out += ':';
      append_go_json(out, *members[i].second, encoder);
    }
    out += '}';
  } else if (const json::Array* array = value.if_array()) {
    out += '[';
    for (std::size_t i = 0; i < array->size(); ++i) {
      if (i != 0) out += ',';
      append_go_json(out, (*array)[i], encoder);
    }
    out += ']';
  } else if (const auto* text = value.if_string()) {
    append_go_json_text(out, *text, encoder);
  } else if (const double* number = value.if_double(); number != nullptr && std::isfinite(*number)) {
    append_json_number(out, *number);
  } else if (const std::uint64_t* large = value.if_uint64();
             large != nullptr && *large > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
    append_json_number(out, static_cast<double>(*large));
  } else {
    json::append_text(out, value);
  }
}

}  // namespace fairway
