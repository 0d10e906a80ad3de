// SPDX-License-Identifier: Apache-2.0

#include "base/text.h"

#include <algorithm>
#include <cstdio>

namespace fairway {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view blank = " \t\r\n\f\v";
  const std::size_t begin = text.find_first_not_of(blank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blank) - begin + 1);
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string joined;
  for (const std::string& part : parts) {
    if (&part != &parts.front()) joined += separator;
    joined += part;
  }
  return joined;
}

namespace {
char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
}  // namespace

std::string to_lower(std::string_view text) {
  std::string lowered(text);
  std::ranges::transform(lowered, lowered.begin(), lower);
  return lowered;
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

bool is_utf8(std::string_view text) {
  const auto* at = reinterpret_cast<const unsigned char*>(text.data());
  const auto* end = at + text.size();
  const auto continues = [&](int index) { return end - at > index && (at[index] & 0xC0) == 0x80; };
  while (at < end) {
    if (*at < 0x80) {
      at += 1;
    } else if (*at >= 0xC2 && *at <= 0xDF) {
      if (!continues(1)) return false;
      at += 2;
    } else if (*at >= 0xE0 && *at <= 0xEF) {
      if (!continues(1) || !continues(2)) return false;
      if ((*at == 0xE0 && at[1] < 0xA0) || (*at == 0xED && at[1] > 0x9F)) return false;
      at += 3;
    } else if (*at >= 0xF0 && *at <= 0xF4) {
      if (!continues(1) || !continues(2) || !continues(3)) return false;
      if ((*at == 0xF0 && at[1] < 0x90) || (*at == 0xF4 && at[1] > 0x8F)) return false;
      at += 4;
    } else {
      return false;
    }
  }
  return true;
}

bool matches_glob(std::string_view pattern, std::string_view text) {
  // The last `*` and how much it has taken so far: enough to go back to, so the time is bounded by the
  // product of sizes.
  std::size_t p = 0, t = 0, star = std::string_view::npos, taken = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++taken;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

namespace {

/// The length in bytes of the first character of UTF-8 text if it controls a terminal or the display of a
/// line: C1 controls (U+0080 to U+009F), line and paragraph separators, and marks that change the direction
/// of text. 0 for everything else.
std::size_t unicode_control(std::string_view text) {
  const auto byte = [text](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  if (byte(0) == 0xC2) return byte(1) < 0xA0 ? 2 : 0;
  if (byte(0) != 0xE2) return 0;
  const bool separator_or_embedding = byte(1) == 0x80 && byte(2) >= 0xA8 && byte(2) <= 0xAE;
  const bool mark = byte(1) == 0x80 && (byte(2) == 0x8E || byte(2) == 0x8F);
  const bool isolate = byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9;
  return separator_or_embedding || mark || isolate ? 3 : 0;
}

/// "\u202e" of a character of two or three bytes.
std::string escaped_unicode(std::string_view character) {
  const auto byte = [character](std::size_t at) {
    return static_cast<unsigned>(static_cast<unsigned char>(character[at]));
  };
  const unsigned code = character.size() == 2
                            ? (byte(0) & 0x1FU) << 6U | (byte(1) & 0x3FU)
                            : (byte(0) & 0x0FU) << 12U | (byte(1) & 0x3FU) << 6U | (byte(2) & 0x3FU);
  char escaped[7];
  std::snprintf(escaped, sizeof escaped, "\\u%04x", code);
  return escaped;
}

}  // namespace

std::string printable(std::string_view text, std::size_t limit) {
  std::string out;
  const bool utf8 = is_utf8(text);
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const bool begins_character = !utf8 || (byte & 0xC0) != 0x80;
    if (out.size() >= limit && begins_character) return out + "…";
    const std::size_t control = utf8 ? unicode_control(text.substr(at)) : 0;
    if (control != 0) {
      out += escaped_unicode(text.substr(at, control));
      at += control - 1;
    } else if (byte == '\n') {
      out += "\\n";
    } else if (byte == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7F || (byte >= 0x80 && !utf8)) {
      char escaped[5];
      std::snprintf(escaped, sizeof escaped, "\\x%02x", byte);
      out += escaped;
    } else {
      out += text[at];
    }
  }
  return out;
}

}  // namespace fairway
