// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/validation/go_duration.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/quoted_text.h"

namespace fairway::apiserver::validation {
namespace {

constexpr std::array<std::pair<std::string_view, double>, 8> units{{{"ns", 1},
                                                                    {"us", 1e3},
                                                                    {"\u00b5s", 1e3},
                                                                    {"\u03bcs", 1e3},
                                                                    {"ms", 1e6},
                                                                    {"s", 1e9},
                                                                    {"m", 6e10},
                                                                    {"h", 3.6e12}}};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

Result<void> check_go_duration(std::string_view text) {
  const std::string shown = quote(text);
  const auto invalid = [&] { return fail(ErrorCode::invalid, "time: invalid duration " + shown); };
  std::string_view rest = text;
  if (rest.starts_with('-') || rest.starts_with('+')) rest.remove_prefix(1);
  if (rest == "0") return {};
  if (rest.empty()) return invalid();
  constexpr double longest = 9.223372036854775807e18;
  double total = 0;
  while (!rest.empty()) {
    const std::string_view before = rest;
    double number = 0, place = 1;
    bool has_digits = false, in_fraction = false;
    while (!rest.empty() && (is_digit(rest.front()) || (rest.front() == '.' && !in_fraction))) {
      if (rest.front() == '.') {
        in_fraction = true;
      } else {
        has_digits = true;
        number = number * 10 + (rest.front() - '0');
        if (in_fraction) place *= 10;
      }
      rest.remove_prefix(1);
    }
    if (before.size() == rest.size() || !has_digits) return invalid();
    const auto* end = std::ranges::find_if(rest, [](char c) { return c == '.' || is_digit(c); });
    const std::string_view unit = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
    if (unit.empty()) return fail(ErrorCode::invalid, "time: missing unit in duration " + shown);
    rest.remove_prefix(unit.size());
    const auto* known = std::ranges::find(units, unit, [](const auto& one) { return one.first; });
    if (known == units.end())
      return fail(ErrorCode::invalid, "time: unknown unit " + quote(unit) + " in duration " + shown);
    total += number / place * known->second;
    if (total > longest) return invalid();
  }
  return {};
}

}  // namespace fairway::apiserver::validation
