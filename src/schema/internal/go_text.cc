// SPDX-License-Identifier: Apache-2.0

#include "schema/internal/go_text.h"

#include <re2/re2.h>

#include <cstdint>

#include "base/go_text.h"

namespace fairway::schema::internal {

namespace {

/// Bytes of the UTF-8 character that `text` begins with; 0 if it begins with none.
std::size_t character_length(std::string_view text) {
  static const re2::RE2 one_character(R"((?s)^(.))");
  re2::StringPiece found;
  const std::string_view head = text.substr(0, 4);
  if (!re2::RE2::PartialMatch(re2::StringPiece(head.data(), head.size()), one_character, &found)) return 0;
  return found.size();
}

bool is_printable(std::string_view character) {
  static const re2::RE2 printable(R"([\pL\pM\pN\pP\pS])");
  return re2::RE2::FullMatch(re2::StringPiece(character), printable);
}

std::uint32_t code_point(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  std::uint32_t code = byte(0) & (0xffu >> (character.size() + 1));
  for (std::size_t i = 1; i < character.size(); ++i) code = (code << 6) | (byte(i) & 0x3fu);
  return code;
}

void append_hex(std::string& out, std::uint32_t value, int digits) {
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4)
    out += "0123456789abcdef"[(value >> shift) & 0xf];
}

}  // namespace

std::string go_quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const auto c = static_cast<unsigned char>(text[0]);
    std::size_t taken = 1;
    if (c == '"' || c == '\\') {
      out += '\\';
      out += text[0];
    } else if (c >= 0x20 && c < 0x7f) {
      out += text[0];
    } else if (c >= '\a' && c <= '\r') {
      out += '\\';
      out += "abtnvfr"[c - '\a'];
    } else if (c < 0x80) {
      out += "\\x";
      append_hex(out, c, 2);
    } else if (taken = character_length(text); taken == 0) {
      out += "\\x";
      append_hex(out, c, 2);
      taken = 1;
    } else if (is_printable(text.substr(0, taken))) {
      out += text.substr(0, taken);
    } else {
      const std::uint32_t code = code_point(text.substr(0, taken));
      out += code < 0x10000 ? "\\u" : "\\U";
      append_hex(out, code, code < 0x10000 ? 4 : 8);
    }
    text.remove_prefix(taken);
  }
  return out + '"';
}

std::string go_value(const json::Value& value) {
  if (value.is_string()) return go_quoted(value.get_string());
  if (value.is_int64()) return std::to_string(value.get_int64());
  // Integers beyond int64 are float64 to the API server.
  if (value.is_uint64()) return go_number(static_cast<double>(value.get_uint64()));
  if (value.is_double()) return go_number(value.get_double());
  std::string out;
  append_go_json(out, value);
  return out;
}

}  // namespace fairway::schema::internal
