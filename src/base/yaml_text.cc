// SPDX-License-Identifier: Apache-2.0

#include "base/yaml_text.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace fairway {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Returns whether a text is the same text in YAML without quotes.
bool is_plain(std::string_view text) {
  // Words that YAML 1.1 or 1.2 read as a boolean or null.
  constexpr std::array<std::string_view, 9> words{"true", "false", "null", "yes", "no",
                                                  "on",   "off",   "y",    "n"};
  if (text.empty() || !is_letter(text.front()) || text.ends_with(':')) return false;
  if (std::ranges::find(words, to_lower(text)) != words.end()) return false;
  return std::ranges::all_of(text, [](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || std::string_view("./:@-_").contains(c);
  });
}

/// Escapes the line breaks and the mark that YAML has and JSON has not, in a quoted text of JSON.
std::string quoted(std::string text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> breaks{
      {{"\x7f", "\\u007F"},
       {"\xc2\x85", "\\u0085"},
       {"\xe2\x80\xa8", "\\u2028"},
       {"\xe2\x80\xa9", "\\u2029"},
       {"\xef\xbb\xbf", "\\uFEFF"}}};
  for (const auto& [raw, escaped] : breaks) {
    for (std::size_t at = text.find(raw); at != std::string::npos; at = text.find(raw, at + escaped.size())) {
      text.replace(at, raw.size(), escaped);
    }
  }
  return text;
}

std::string scalar(const json::Value& value) {
  if (value.is_string() && is_plain(std::string_view(value.get_string())))
    return std::string(value.get_string());
  return value.is_string() ? quoted(json::to_text(value)) : json::to_text(value);
}

bool is_block(const json::Value& value) {
  return (value.is_object() && !value.get_object().empty()) ||
         (value.is_array() && !value.get_array().empty());
}

void append(std::string& out, const json::Value& value, std::size_t indent) {
  const std::string spaces(indent, ' ');
  if (value.is_object()) {
    // The first key of a list's item follows its dash.
    bool first = out.ends_with("- ");
    for (const auto& [key, member] : value.get_object()) {
      if (!first) out += spaces;
      first = false;
      out += scalar(json::Value(key)) + ":";
      if (is_block(member)) {
        out += '\n';
        append(out, member, indent + (member.is_array() ? 0 : 2));
      } else {
        out += " " + scalar(member) + "\n";
      }
    }
    return;
  }
  for (const json::Value& item : value.get_array()) {
    out += spaces + "- ";
    if (item.is_array() && is_block(item)) {
      out.back() = '\n';
      append(out, item, indent + 2);
    } else if (is_block(item)) {
      append(out, item, indent + 2);
    } else {
      out += scalar(item) + "\n";
    }
  }
}

}  // namespace

std::string to_yaml(const json::Value& value) {
  if (!is_block(value)) return scalar(value) + "\n";
  std::string out;
  append(out, value, 0);
  return out;
}

}  // namespace fairway
