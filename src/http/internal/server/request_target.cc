// SPDX-License-Identifier: Apache-2.0

#include "http/internal/server/request_target.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/text.h"

namespace fairway::http {

bool is_host(std::string_view value) {
  const auto all = [](std::string_view text, auto&& good) { return std::ranges::all_of(text, good); };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  std::string_view port;
  if (value.starts_with('[')) {
    const auto end = value.find(']');
    if (end == std::string_view::npos) return false;
    const auto good = [&](char c) { return is_digit(c) || is_letter(c) || c == ':' || c == '.'; };
    if (!all(value.substr(1, end - 1), good)) return false;
    port = value.substr(end + 1);
  } else {
    const auto colon = std::min(value.find(':'), value.size());
    const auto good = [&](char c) {
      return is_digit(c) || is_letter(c) ||
             std::string_view("-._~%!$&'()*+;=").find(c) != std::string_view::npos;
    };
    if (!all(value.substr(0, colon), good)) return false;
    port = value.substr(colon);
  }
  if (port.empty()) return true;
  if (!port.starts_with(':') || port.size() > 6 || !all(port.substr(1), is_digit)) return false;
  std::uint32_t number = 0;
  for (const char digit : port.substr(1)) number = 10 * number + static_cast<std::uint32_t>(digit - '0');
  return number <= UINT16_MAX;
}

bool split_target(RequestHead& head) {
  std::string_view rest = head.target;
  if (rest == "*") {
    head.path = rest;
    head.query = {};
    return head.method == "OPTIONS";
  }
  if (!rest.starts_with('/')) {
    const auto scheme_end = rest.find("://");
    if (scheme_end == std::string_view::npos) return false;
    const std::string_view scheme = rest.substr(0, scheme_end);
    if (!equals_ignoring_case(scheme, "http") && !equals_ignoring_case(scheme, "https")) return false;
    rest.remove_prefix(scheme_end + 3);
    const auto authority_end = rest.find_first_of("/?");
    if (authority_end == 0 || rest.empty()) return false;
    rest = authority_end == std::string_view::npos ? std::string_view() : rest.substr(authority_end);
  }
  const auto question = rest.find('?');
  head.path = rest.substr(0, question);
  head.query = question == std::string_view::npos ? std::string_view() : rest.substr(question + 1);
  if (head.path.empty()) head.path = "/";
  return true;
}

}  // namespace fairway::http
