// SPDX-License-Identifier: Apache-2.0

#include "base/quoted_text.h"

#include <array>
#include <cstdint>

namespace fairway {

namespace {

constexpr char32_t replacement = 0xFFFD;

void append_hex(std::string& out, std::uint32_t value, int digits) {
  static constexpr std::string_view hex = "0123456789abcdef";
  for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) out += hex[(value >> shift) & 0xF];
}

void append_escaped(std::string& out, char32_t c, char delimiter) {
  if (c == static_cast<char32_t>(delimiter) || c == U'\\') {
    out += '\\';
    out += static_cast<char>(c);
    return;
  }
  if (is_printable(c)) {
    append_utf8(out, c);
    return;
  }
  switch (c) {
    case U'\a':
      out += "\\a";
      return;
    case U'\b':
      out += "\\b";
      return;
    case U'\f':
      out += "\\f";
      return;
    case U'\n':
      out += "\\n";
      return;
    case U'\r':
      out += "\\r";
      return;
    case U'\t':
      out += "\\t";
      return;
    case U'\v':
      out += "\\v";
      return;
    default:
      break;
  }
  if (c < 0x20 || c == 0x7F) {
    out += "\\x";
    append_hex(out, c, 2);
  } else if (c < 0x10000) {
    out += "\\u";
    append_hex(out, c, 4);
  } else {
    out += "\\U";
    append_hex(out, c, 8);
  }
}

}  // namespace

// Spaces, format characters and unassigned ones, as far as they occur in practice.
bool is_printable(char32_t c) {
  if (c < 0x7F) return c >= 0x20;
  if (c <= 0xA0 || c == 0xAD) return false;
  struct Range {
    char32_t first, last;
  };
  static constexpr std::array<Range, 14> hidden = {{{0x600, 0x605},
                                                    {0x61C, 0x61C},
                                                    {0x6DD, 0x6DD},
                                                    {0x70F, 0x70F},
                                                    {0x1680, 0x1680},
                                                    {0x180E, 0x180E},
                                                    {0x2000, 0x200F},
                                                    {0x2028, 0x202F},
                                                    {0x205F, 0x206F},
                                                    {0x3000, 0x3000},
                                                    {0xD800, 0xF8FF},
                                                    {0xFEFF, 0xFEFF},
                                                    {0xFFF0, 0xFFFB},
                                                    {0xFFFE, 0xFFFF}}};
  for (const Range& range : hidden) {
    if (c >= range.first && c <= range.last) return false;
  }
  return c < 0xE0000;
}

Rune first_rune(std::string_view text) {
  if (text.empty()) return {};
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  std::size_t length = 0;
  char32_t value = 0, least = 0;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2, value = lead & 0x1F, least = 0x80;
  } else if ((lead & 0xF0) == 0xE0) {
    length = 3, value = lead & 0x0F, least = 0x800;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4, value = lead & 0x07, least = 0x10000;
  }
  if (length == 0 || text.size() < length) return {replacement, 1};
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {replacement, 1};
    value = (value << 6) | (byte(i) & 0x3F);
  }
  if (value < least || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) return {replacement, 1};
  return {value, length};
}

void append_utf8(std::string& out, char32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | (c >> 12));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (c >> 18));
    out += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
}

std::string quote(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const Rune rune = first_rune(text);
    if (rune.width == 1 && rune.value == replacement) {
      out += "\\x";
      append_hex(out, static_cast<unsigned char>(text.front()), 2);
    } else {
      append_escaped(out, rune.value, '"');
    }
    text.remove_prefix(rune.width);
  }
  out += '"';
  return out;
}

std::string quote_character(char32_t character) {
  std::string out = "'";
  append_escaped(out, character, '\'');
  out += '\'';
  return out;
}

std::string describe_character(char32_t character) {
  std::string digits;
  append_hex(digits, character, character < 0x10000 ? 4 : character < 0x100000 ? 5 : 6);
  for (char& c : digits) {
    if (c >= 'a') c = static_cast<char>(c - 'a' + 'A');
  }
  std::string out = "U+" + digits;
  if (is_printable(character)) {
    out += " '";
    append_utf8(out, character);
    out += '\'';
  }
  return out;
}

}  // namespace fairway
