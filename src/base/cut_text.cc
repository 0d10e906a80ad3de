// SPDX-License-Identifier: Apache-2.0

#include "base/cut_text.h"

#include <algorithm>

#include "base/text.h"

namespace fairway {
namespace {

constexpr std::string_view ellipsis = "...", replacement = "\xEF\xBF\xBD";
constexpr std::size_t longest_character = 4;

/// The bytes of the character that the text begins with; 0 if it begins with none.
std::size_t first_character(std::string_view text) {
  for (std::size_t size = 1; size <= std::min(longest_character, text.size()); ++size)
    if (is_utf8(text.substr(0, size))) return size;
  return 0;
}

std::string to_utf8(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t size = first_character(text);
    out += size == 0 ? replacement : text.substr(0, size);
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return out;
}

}  // namespace

std::string cut_text(std::string_view text, std::size_t limit) {
  // Text behind the limit is cut in any case.
  const std::string_view looked_at = text.substr(0, limit + longest_character);
  std::string whole = is_utf8(text) ? std::string(looked_at) : to_utf8(looked_at);
  if (whole.size() <= limit && looked_at.size() == text.size()) return whole;
  std::size_t end = std::min(limit - ellipsis.size(), whole.size());
  while (end > 0 && end < whole.size() && (static_cast<unsigned char>(whole[end]) & 0xC0) == 0x80) --end;
  whole.resize(end);
  return whole += ellipsis;
}

}  // namespace fairway
