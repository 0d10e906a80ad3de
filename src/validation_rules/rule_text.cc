// SPDX-License-Identifier: Apache-2.0

#include "validation_rules/rule_text.h"

#include <algorithm>
#include <cstdio>

#include "cel/syntax/parser.h"

namespace fairway::validation_rules {

namespace {

bool begins_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

}  // namespace

std::string issue_text(std::string_view source, std::uint32_t offset, std::string_view message) {
  const std::size_t at = std::min<std::size_t>(offset, source.size());
  std::string text = "ERROR: <input>:" + cel::position_text(source, static_cast<std::uint32_t>(at)) + ": ";
  text += message;
  if (message.starts_with("undeclared reference to")) text += " (in container '')";
  const std::size_t before = at == 0 ? std::string_view::npos : source.rfind('\n', at - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  std::string line(source.substr(begin, source.find('\n', begin) - begin));
  constexpr std::size_t longest_line = 16384;
  if (line.size() > longest_line) return text;
  std::ranges::replace(line, '\t', ' ');
  std::string mark;
  // Marks are as wide as what is above them.
  const auto is_wide = [&](std::size_t place) {
    return place < line.size() && static_cast<unsigned char>(line[place]) >= 0x80;
  };
  for (std::size_t i = 0; i < std::min(at - begin, line.size()); ++i) {
    if (begins_character(line[i])) mark += is_wide(i) ? "．" : ".";
  }
  mark += is_wide(at - begin) ? "＾" : "^";
  return text + "\n | " + line + "\n | " + mark;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view space = " \t\n\v\f\r";
  const std::size_t begin = text.find_first_not_of(space);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(space) - begin + 1);
}

std::string cost_text(std::string_view name, std::uint64_t cost, std::uint64_t limit) {
  const double factor = static_cast<double>(cost) / static_cast<double>(limit);
  char shown[64];
  std::snprintf(shown, sizeof shown, factor < 1.5 ? "%fx" : "%.1fx", factor);
  return std::string(name) + " exceeds budget by factor of " + (factor > 100 ? "more than 100x" : shown) +
         " (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, "
         "and "
         "strings are declared)";
}

}  // namespace fairway::validation_rules
