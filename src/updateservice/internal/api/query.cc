// SPDX-License-Identifier: Apache-2.0

#include "updateservice/internal/api/query.h"

#include <algorithm>

#include "http/url.h"

namespace fairway::updateservice {
namespace {

bool is_digit_or_lower(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
}

}  // namespace

Query::Query(std::string_view text)
    : text_(text), escaped_(text.find_first_of("%+") != std::string_view::npos) {
  if (escaped_) decoded_ = http::parse_query(text);
}

std::optional<std::string_view> Query::find(std::string_view key) const {
  std::optional<std::string_view> found;
  if (escaped_) {
    for (const auto& [name, value] : decoded_) {
      if (name == key) found = value;
    }
    return found;
  }
  for (std::string_view rest = text_; !rest.empty();) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    const std::size_t equals = std::min(pair.find('='), pair.size());
    if (pair.substr(0, equals) == key) found = pair.substr(std::min(pair.size(), equals + 1));
  }
  return found;
}

bool is_channel_name(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return is_digit_or_lower(c) || c == '-' || c == '.'; });
}

bool is_arch_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_digit_or_lower);
}

}  // namespace fairway::updateservice
