// SPDX-License-Identifier: Apache-2.0

#include "base/semver.h"

#include <charconv>
#include <tuple>

#include "base/text.h"

namespace fairway {

namespace {

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::unexpected<Error> bad(std::string_view text, const std::string& why) {
  return fail(ErrorCode::invalid, "'" + printable(text, 80) + "' is not a semantic version: " + why);
}

// Numbers of any length compare by length, then by text: identifiers may exceed 64 bits.
std::strong_ordering compare_numbers(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return a.size() <=> b.size();
  return a.compare(b) <=> 0;
}

// semver.org 2.0.0, section 11.4
std::strong_ordering compare_prereleases(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return b.size() <=> a.size();  // none is higher than any
  const auto left = split(a, '.');
  const auto right = split(b, '.');
  for (std::size_t i = 0; i < left.size() && i < right.size(); ++i) {
    const bool left_is_number = is_digits(left[i]);
    const bool right_is_number = is_digits(right[i]);
    std::strong_ordering order = std::strong_ordering::equal;
    if (left_is_number && right_is_number) {
      order = compare_numbers(left[i], right[i]);
    } else if (left_is_number != right_is_number) {
      order = left_is_number ? std::strong_ordering::less : std::strong_ordering::greater;
    } else {
      order = left[i].compare(right[i]) <=> 0;
    }
    if (order != 0) return order;
  }
  return left.size() <=> right.size();
}

}  // namespace

Result<Version> Version::parse(std::string_view text) {
  if (text.size() > 256) return bad(text, "it is longer than 256 characters");
  Version version;
  std::string_view rest = text;
  if (const std::size_t plus = rest.find('+'); plus != std::string_view::npos) {
    version.build_ = rest.substr(plus + 1);
    rest = rest.substr(0, plus);
    if (version.build_.empty()) return bad(text, "nothing follows '+'");
  }
  bool has_prerelease = false;
  if (const std::size_t dash = rest.find('-'); dash != std::string_view::npos) {
    version.prerelease_ = rest.substr(dash + 1);
    rest = rest.substr(0, dash);
    has_prerelease = true;
  }
  const auto numbers = split(rest, '.');
  if (numbers.size() != 3) return bad(text, "it needs three numbers, major.minor.patch");
  std::uint64_t* const targets[] = {&version.major_, &version.minor_, &version.patch_};
  for (int i = 0; i < 3; ++i) {
    const std::string_view number = numbers[static_cast<std::size_t>(i)];
    if (!is_digits(number)) return bad(text, "'" + printable(number, 40) + "' is not a number");
    if (number.size() > 1 && number.front() == '0')
      return bad(text, "'" + std::string(number) + "' has a leading zero");
    if (std::from_chars(number.data(), number.data() + number.size(), *targets[i]).ec != std::errc{}) {
      return bad(text, "'" + std::string(number) + "' is too large");
    }
  }
  constexpr std::string_view allowed = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-";
  const auto check_identifiers = [&](std::string_view identifiers, bool no_leading_zeros) -> std::string {
    for (const std::string_view identifier : split(identifiers, '.')) {
      if (identifier.empty()) return "an identifier after '-' or '+' is empty";
      if (identifier.find_first_not_of(allowed) != std::string_view::npos) {
        return "'" + printable(identifier, 40) + "' has other characters than letters, digits and '-'";
      }
      if (no_leading_zeros && identifier.size() > 1 && identifier.front() == '0' && is_digits(identifier)) {
        return "'" + std::string(identifier) + "' has a leading zero";
      }
    }
    return {};
  };
  if (has_prerelease) {
    if (const std::string why = check_identifiers(version.prerelease_, true); !why.empty())
      return bad(text, why);
  }
  if (!version.build_.empty()) {
    if (const std::string why = check_identifiers(version.build_, false); !why.empty()) return bad(text, why);
  }
  return version;
}

Version Version::with_build(std::string build) const {
  Version other = *this;
  other.build_ = std::move(build);
  return other;
}

std::string Version::minor_text() const {
  return std::to_string(major_) + "." + std::to_string(minor_);
}

std::string Version::to_string() const {
  std::string text = minor_text() + "." + std::to_string(patch_);
  if (!prerelease_.empty()) text += "-" + prerelease_;
  if (!build_.empty()) text += "+" + build_;
  return text;
}

std::strong_ordering compare_precedence(const Version& a, const Version& b) {
  const auto order =
      std::tuple(a.major(), a.minor(), a.patch()) <=> std::tuple(b.major(), b.minor(), b.patch());
  return order != 0 ? order : compare_prereleases(a.prerelease(), b.prerelease());
}

std::strong_ordering operator<=>(const Version& a, const Version& b) {
  const auto order = compare_precedence(a, b);
  return order != 0 ? order : a.build_.compare(b.build_) <=> 0;
}

}  // namespace fairway
