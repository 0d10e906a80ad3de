// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/openapi/yaml_characters.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace fairway::apiserver::openapi {
namespace {

std::uint32_t code_of(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first;
  std::uint32_t code = first & (0x7Fu >> character.size());
  for (const char c : character.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3Fu);
  return code;
}

/// Returns whether a character is written as it is. The emitter writes those beyond U+FFFF escaped.
bool is_printable(std::uint32_t code) {
  return code == '\n' || (code >= 0x20 && code <= 0x7E) || (code >= 0xA0 && code <= 0xFFFD && code != 0xFEFF);
}

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

/// Returns whether a text begins with a mark that YAML reads as something else.
bool begins_with_mark(std::string_view text, bool followed_by_blank) {
  if (text.starts_with("---") || text.starts_with("...")) return true;
  if (std::string_view("#,[]{}&*!|>'\"%@`").contains(text[0])) return true;
  return followed_by_blank && std::string_view("?:-").contains(text[0]);
}

void append_escaped(std::string& out, std::uint32_t code) {
  constexpr std::array<std::pair<std::uint32_t, char>, 15> names{{{0, '0'},
                                                                  {7, 'a'},
                                                                  {8, 'b'},
                                                                  {9, 't'},
                                                                  {10, 'n'},
                                                                  {11, 'v'},
                                                                  {12, 'f'},
                                                                  {13, 'r'},
                                                                  {0x1B, 'e'},
                                                                  {'"', '"'},
                                                                  {'\\', '\\'},
                                                                  {0x85, 'N'},
                                                                  {0xA0, '_'},
                                                                  {0x2028, 'L'},
                                                                  {0x2029, 'P'}}};
  out += '\\';
  const auto* const named = std::ranges::find(names, code, &std::pair<std::uint32_t, char>::first);
  if (named != names.end()) {
    out += named->second;
    return;
  }
  const int digits = code <= 0xFF ? 2 : code <= 0xFFFF ? 4 : 8;
  out += digits == 2 ? 'x' : digits == 4 ? 'u' : 'U';
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) out += "0123456789ABCDEF"[code >> shift & 0xF];
}

}  // namespace

std::size_t width_at(std::string_view text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  const std::size_t width = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  return std::min(width, text.size() - at);
}

bool is_break(std::string_view character) {
  return character == "\n" || character == "\r" || character == "\xC2\x85" || character == "\xE2\x80\xA8" ||
         character == "\xE2\x80\xA9";
}

ScalarTraits traits_of(std::string_view text) {
  ScalarTraits traits;
  // An empty text needs quotes where it is not null; `is_plain_text` says so.
  if (text.empty()) return {.block_allowed = false};
  bool indicators = false, special = false, tabs = false, space_break = false, break_space = false;
  bool after_blank = true, after_space = false, after_break = false;
  std::string_view character;
  for (std::size_t at = 0; at < text.size(); at += character.size()) {
    character = text.substr(at, width_at(text, at));
    const std::size_t next = at + character.size();
    const bool before_blank = next >= text.size() || is_blank(text[next]);
    if (at == 0 && begins_with_mark(text, before_blank)) indicators = true;
    if (at > 0 && ((character == ":" && before_blank) || (character == "#" && after_blank)))
      indicators = true;
    const bool breaks = is_break(character), space = character == " ";
    if (character == "\t") {
      tabs = true;
    } else if (!is_printable(code_of(character))) {
      special = true;
    }
    if (breaks) traits.multiline = true;
    if (space && after_break) break_space = true;
    if (breaks && after_space) space_break = true;
    if ((space || breaks) && (at == 0 || next == text.size())) traits.plain_allowed = false;
    if (space && next == text.size()) traits.block_allowed = false;
    after_space = space;
    after_break = breaks;
    after_blank = breaks || is_blank(character[0]) || character[0] == '\0';
  }
  if (break_space || space_break || tabs || special) {
    traits.plain_allowed = traits.single_quoted_allowed = false;
  }
  if (space_break || special) traits.block_allowed = false;
  if (traits.multiline || indicators) traits.plain_allowed = false;
  return traits;
}

std::string double_quoted(std::string_view text) {
  std::string out = "\"";
  std::string_view character;
  for (std::size_t at = 0; at < text.size(); at += character.size()) {
    character = text.substr(at, width_at(text, at));
    const std::uint32_t code = code_of(character);
    if (!is_printable(code) || is_break(character) || code == '"' || code == '\\') {
      append_escaped(out, code);
    } else {
      out += character;
    }
  }
  return out + '"';
}

std::string block_hints(std::string_view text, int indent) {
  std::string hints;
  if (text.starts_with(' ') || is_break(text.substr(0, width_at(text, 0)))) hints += std::to_string(indent);
  if (!text.ends_with('\n')) {
    hints += '-';
  } else if (text.size() == 1 || text.ends_with("\n\n")) {
    hints += '+';
  }
  return hints;
}

}  // namespace fairway::apiserver::openapi
