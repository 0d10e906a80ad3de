// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/validation/quantity.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "apiserver/internal/kinds/quantity_text.h"

namespace fairway::apiserver::validation {
namespace {

__extension__ using Wide = __int128;

/// More cannot be compared, and nothing larger is of use.
constexpr Wide largest =
    static_cast<Wide>(std::numeric_limits<std::int64_t>::max()) * 20'000'000'000'000'000LL;

/// Returns the power of ten of a suffix, or of two as a negative number.
std::int32_t exponent_of(std::string_view suffix) {
  constexpr std::array<std::pair<std::string_view, int>, 16> suffixes{{{"n", -9},
                                                                       {"u", -6},
                                                                       {"m", -3},
                                                                       {"", 0},
                                                                       {"k", 3},
                                                                       {"M", 6},
                                                                       {"G", 9},
                                                                       {"T", 12},
                                                                       {"P", 15},
                                                                       {"E", 18},
                                                                       {"Ki", 10},
                                                                       {"Mi", 20},
                                                                       {"Gi", 30},
                                                                       {"Ti", 40},
                                                                       {"Pi", 50},
                                                                       {"Ei", 60}}};
  const auto* found = std::ranges::find(suffixes, suffix, [](const auto& one) { return one.first; });
  if (found != suffixes.end()) return found->second;
  return kinds::exponent_of_suffix(suffix).value_or(0);
}

}  // namespace

Quantity Quantity::parse(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view suffix = text.substr(end);
  std::int64_t scale = 9;
  bool in_fraction = false;
  Wide made = 0;
  for (const char c : text.substr(0, end)) {
    if (c == '.') {
      in_fraction = true;
    } else if (made < largest / 10) {
      made = made * 10 + (c - '0');
      scale -= in_fraction ? 1 : 0;
    } else if (!in_fraction) {
      ++scale;
    }
  }
  const std::int32_t exponent = exponent_of(suffix);
  if (suffix.ends_with('i')) {
    for (std::int32_t i = 0; i < exponent && made < largest; ++i) made *= 2;
  } else {
    scale += exponent;
  }
  // Both end soon, whatever the exponent is: 0 stays 0, and 1 is rounded up to 1.
  for (; scale > 0 && made != 0 && made < largest; --scale) made *= 10;
  for (; scale < 0 && made > 1; ++scale) made = (made + 9) / 10;
  Quantity quantity;
  quantity.billionths_ = is_negative ? -std::min(made, largest) : std::min(made, largest);
  return quantity;
}

Quantity Quantity::of(const json::Value& value) {
  return value.is_string()  ? parse(value.get_string())
         : value.is_int64() ? parse(std::to_string(value.get_int64()))
                            : Quantity();
}

Quantity& Quantity::operator+=(const Quantity& other) {
  billionths_ = std::clamp(billionths_ + other.billionths_, -largest, largest);
  return *this;
}

std::int64_t Quantity::rounded_up() const {
  constexpr Wide one = 1'000'000'000;
  const Wide whole = billionths_ / one + (billionths_ > 0 && billionths_ % one != 0 ? 1 : 0) -
                     (billionths_ < 0 && billionths_ % one != 0 ? 1 : 0);
  const Wide most = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::clamp(whole, -most, most));
}

std::int64_t Quantity::milli_rounded_up() const {
  Quantity thousandfold;
  thousandfold.billionths_ = billionths_ * 1000;
  return thousandfold.rounded_up();
}

bool Quantity::exceeds(const Quantity& ratio, const Quantity& most, const Quantity& least, double& limit) {
  constexpr std::int64_t largest_milli = std::numeric_limits<std::int64_t>::max() / 1000;
  const auto is_small = [](const Quantity& one) { return one.rounded_up() < largest_milli; };
  double given = static_cast<double>(ratio.rounded_up());
  limit = static_cast<double>(most.rounded_up()) / static_cast<double>(least.rounded_up());
  if (is_small(ratio) && is_small(most) && is_small(least)) {
    given = static_cast<double>(ratio.milli_rounded_up()) / 1000;
    limit = static_cast<double>(most.milli_rounded_up()) / static_cast<double>(least.milli_rounded_up());
  }
  return given > limit;
}

bool Quantity::is_whole() const {
  constexpr Wide thousandth = 1'000'000;
  const Wide milli = billionths_ / thousandth + (billionths_ % thousandth != 0 ? 1 : 0);
  return milli <= std::numeric_limits<std::int64_t>::max() && milli % 1000 == 0;
}

std::string quantity_text(const json::Value& value) {
  return value.is_string() ? std::string(std::string_view(value.get_string())) : json::to_text(value);
}

}  // namespace fairway::apiserver::validation
