// SPDX-License-Identifier: Apache-2.0

// Writing JSON without a detour: straight into the text that goes out.
#include <cstdint>
#include <cstring>

#include "base/internal/json_number.h"
#include "base/json.h"

namespace fairway::json {

namespace {

constexpr std::uint64_t every(std::uint8_t byte) {
  return 0x0101010101010101ULL * byte;
}

/// The high bit of each byte that is 0 (and perhaps of bytes above one that is).
constexpr std::uint64_t zero_bytes(std::uint64_t word) {
  return (word - every(1)) & ~word & every(0x80);
}

bool is_plain(char c) {
  return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\';
}

/// Returns the index of the first byte at or behind `at` that must be escaped.
std::size_t find_special(std::string_view text, std::size_t at) {
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, 8);
    const std::uint64_t control = (word - every(0x20)) & ~word & every(0x80);
    const std::uint64_t special = control | zero_bytes(word ^ every('"')) | zero_bytes(word ^ every('\\'));
    if (special == 0) continue;
    break;
  }
  while (at < text.size() && is_plain(text[at])) ++at;
  return at;
}

void append_escape(std::string& out, char c) {
  constexpr char digits[] = "0123456789abcdef";
  out += '\\';
  switch (c) {
    case '"':
    case '\\':
      out += c;
      break;
    case '\b':
      out += 'b';
      break;
    case '\f':
      out += 'f';
      break;
    case '\n':
      out += 'n';
      break;
    case '\r':
      out += 'r';
      break;
    case '\t':
      out += 't';
      break;
    default:
      out += "u00";
      out += digits[static_cast<unsigned char>(c) >> 4];
      out += digits[static_cast<unsigned char>(c) & 15];
  }
}

}  // namespace

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t special = find_special(text, at);
    out.append(text, at, special - at);
    if (special == text.size()) break;
    append_escape(out, text[special]);
    at = special + 1;
  }
  out += '"';
}

void append_text(std::string& out, const Object& object) {
  out += '{';
  bool first = true;
  for (const auto& member : object) {
    if (!first) out += ',';
    first = false;
    append_quoted(out, member.key());
    out += ':';
    append_text(out, member.value());
  }
  out += '}';
}

void append_text(std::string& out, const Value& value) {
  switch (value.kind()) {
    case boost::json::kind::object:
      return append_text(out, value.get_object());
    case boost::json::kind::array: {
      out += '[';
      bool first = true;
      for (const Value& item : value.get_array()) {
        if (!first) out += ',';
        first = false;
        append_text(out, item);
      }
      out += ']';
      return;
    }
    case boost::json::kind::string:
      return append_quoted(out, value.get_string());
    case boost::json::kind::int64:
      return append_number(out, value.get_int64());
    case boost::json::kind::uint64:
      return append_number(out, value.get_uint64());
    case boost::json::kind::double_:
      return append_number(out, value.get_double());
    case boost::json::kind::bool_:
      out += value.get_bool() ? "true" : "false";
      return;
    case boost::json::kind::null:
      out += "null";
  }
}

}  // namespace fairway::json
