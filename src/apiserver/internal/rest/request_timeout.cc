// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/rest/request_timeout.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::rest {
namespace {

/// Largest magnitude of a Go duration, which only a negative one may have.
constexpr std::uint64_t most = std::uint64_t{1} << 63;

constexpr std::array<std::pair<std::string_view, std::uint64_t>, 8> units{{{"ns", 1},
                                                                           {"us", 1'000},
                                                                           {"\u00b5s", 1'000},
                                                                           {"\u03bcs", 1'000},
                                                                           {"ms", 1'000'000},
                                                                           {"s", 1'000'000'000},
                                                                           {"m", 60'000'000'000},
                                                                           {"h", 3'600'000'000'000}}};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Returns a text as Go's package time quotes it: bytes that are not printable ASCII become \xNN.
std::string quoted(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80 || byte < ' ') {
      out += "\\x";
      out += digits[byte >> 4];
      out += digits[byte & 15];
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

/// Removes the digits at the front of a text and returns their value; none if it is beyond `most`.
std::optional<std::uint64_t> take_whole(std::string_view& text) {
  std::uint64_t value = 0;
  for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1)) {
    const auto digit = static_cast<std::uint64_t>(text.front() - '0');
    if (value > most / 10 || value * 10 > most - digit) return std::nullopt;
    value = value * 10 + digit;
  }
  return value;
}

/// Removes the digits behind a point and returns the part of a unit that they are.
double take_fraction(std::string_view& text) {
  double value = 0, scale = 1;
  for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1)) {
    scale /= 10;
    value += scale * (text.front() - '0');
  }
  return value;
}

/// Removes a number with its unit from the front of `text`, and adds it to `sum`. Returns the fault, or an
/// empty text. `whole` is the duration that `text` is the rest of.
std::string take_part(std::string_view& text, std::uint64_t& sum, std::string_view whole) {
  std::string invalid = "time: invalid duration " + quoted(whole);
  const bool has_whole = is_digit(text.front());
  const auto value = take_whole(text);
  if (!value) return invalid;
  bool has_fraction = false;
  double fraction = 0;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    has_fraction = !text.empty() && is_digit(text.front());
    fraction = take_fraction(text);
  }
  if (!has_whole && !has_fraction) return invalid;
  const auto* end = std::ranges::find_if(text, [](char c) { return c == '.' || is_digit(c); });
  const std::string_view name(text.begin(), end);
  if (name.empty()) return "time: missing unit in duration " + quoted(whole);
  text.remove_prefix(name.size());
  const auto* unit = std::ranges::find(units, name, [](const auto& one) { return one.first; });
  if (unit == units.end()) return "time: unknown unit " + quoted(name) + " in duration " + quoted(whole);
  if (*value > most / unit->second) return invalid;
  const std::uint64_t part =
      *value * unit->second + static_cast<std::uint64_t>(fraction * static_cast<double>(unit->second));
  if (part > most || sum > most - part) return invalid;
  sum += part;
  return {};
}

/// Returns the words in which Go's time.ParseDuration refuses a text; empty: it is a duration.
std::string fault_of_duration(std::string_view whole) {
  std::string_view text = whole;
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return {};
  std::string invalid = "time: invalid duration " + quoted(whole);
  if (text.empty()) return invalid;
  std::uint64_t sum = 0;
  while (!text.empty()) {
    if (text.front() != '.' && !is_digit(text.front())) return invalid;
    if (std::string fault = take_part(text, sum, whole); !fault.empty()) return fault;
  }
  return sum == most && !is_negative ? invalid : std::string();
}

bool is_long_running(const access::Attributes& attributes) {
  constexpr std::array<std::string_view, 5> subresources{"attach", "exec", "proxy", "log", "portforward"};
  return attributes.is_resource &&
         (attributes.verb == "watch" ||
          std::ranges::find(subresources, std::string_view(attributes.subresource)) != subresources.end());
}

}  // namespace

k8s::StatusResult<void> check_timeout(const access::RequestInfo& info) {
  if (!info.query || is_long_running(info.attributes)) return {};
  const auto timeout = info.query->find("timeout");
  if (!timeout || timeout->empty()) return {};
  const std::string fault = fault_of_duration(*timeout);
  if (fault.empty()) return {};
  return std::unexpected(k8s::answer::bad_request("invalid timeout specified in the request URL - " + fault));
}

}  // namespace fairway::apiserver::rest
