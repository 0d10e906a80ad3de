// SPDX-License-Identifier: Apache-2.0

#include "adm/internal/release_version.h"

#include <algorithm>
#include <array>

#include "base/quoted_text.h"
#include "base/text.h"

namespace fairway::adm {
namespace {

bool is_digits(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

bool is_identifier(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
  });
}

bool has_leading_zero(std::string_view text) {
  return text.size() > 1 && text.front() == '0';
}

/// Returns what is wrong with one of the three numbers; empty: nothing.
std::string fault_of_number(std::string_view name, std::string_view text) {
  if (!is_digits(text)) return "Invalid character(s) found in " + to_lower(name) + " number " + quote(text);
  if (has_leading_zero(text))
    return std::string(name) + " number must not contain leading zeroes " + quote(text);
  if (text.empty()) return "strconv.ParseUint: parsing \"\": invalid syntax";
  return {};
}

std::string fault_of_prerelease(std::string_view text) {
  for (const std::string_view part : split(text, '.')) {
    if (part.empty()) return "Prerelease is empty";
    if (is_digits(part)) {
      if (has_leading_zero(part))
        return "Numeric PreRelease version must not contain leading zeroes " + quote(part);
    } else if (!is_identifier(part)) {
      return "Invalid character(s) found in prerelease " + quote(part);
    }
  }
  return {};
}

std::string fault_of_build(std::string_view text) {
  for (const std::string_view part : split(text, '.')) {
    if (part.empty()) return "Build meta data is empty";
    if (!is_identifier(part)) return "Invalid character(s) found in build meta data " + quote(part);
  }
  return {};
}

std::string fault_of(std::string_view text) {
  if (text.empty()) return "Version string empty";
  const std::size_t first = text.find('.');
  const std::size_t second = first == text.npos ? text.npos : text.find('.', first + 1);
  if (second == text.npos) return "No Major.Minor.Patch elements found";
  std::string_view patch = text.substr(second + 1), build, prerelease;
  const std::size_t plus = patch.find('+');
  if (plus != patch.npos) {
    build = patch.substr(plus + 1);
    patch = patch.substr(0, plus);
  }
  const std::size_t dash = patch.find('-');
  if (dash != patch.npos) {
    prerelease = patch.substr(dash + 1);
    patch = patch.substr(0, dash);
  }
  const std::array faults{fault_of_number("Major", text.substr(0, first)),
                          fault_of_number("Minor", text.substr(first + 1, second - first - 1)),
                          fault_of_number("Patch", patch),
                          dash != text.npos ? fault_of_prerelease(prerelease) : "",
                          plus != text.npos ? fault_of_build(build) : ""};
  const auto fault = std::ranges::find_if(faults, [](const std::string& one) { return !one.empty(); });
  return fault == faults.end() ? "" : *fault;
}

}  // namespace

bool is_shown_before(std::string_view a, std::string_view b) {
  const auto left = Version::parse(a), right = Version::parse(b);
  if (left && right) return compare_precedence(*left, *right) > 0;
  if (left || right) return left.has_value();
  return a > b;
}

Result<Version> read_version(std::string_view text) {
  if (std::string fault = fault_of(text); !fault.empty()) return fail(ErrorCode::invalid, std::move(fault));
  return Version::parse(text);
}

}  // namespace fairway::adm
