// SPDX-License-Identifier: Apache-2.0

// Quantities of resources as numbers.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/json.h"

namespace fairway::apiserver::validation {

/// A quantity, exact to a billionth and up to 10^29, which is more than the largest that Kubernetes keeps.
class Quantity {
 public:
  Quantity() = default;
  /// Reads the canonical text of `kinds::canonical_quantity`; 0 for any other value.
  static Quantity of(const json::Value& value);
  static Quantity parse(std::string_view text);

  friend auto operator<=>(const Quantity& a, const Quantity& b) = default;
  /// Adds a quantity; a sum is at most the largest one.
  Quantity& operator+=(const Quantity& other);
  /// Returns the next whole number, at most the largest of 64 bits.
  std::int64_t rounded_up() const;
  bool is_negative() const { return billionths_ < 0; }
  bool is_zero() const { return billionths_ == 0; }
  /// Returns whether a ratio is greater than `most` / `least`, computed as Kubernetes does: with thousandths
  /// if none of the three is too large for it. `limit` is set to the quotient.
  static bool exceeds(const Quantity& ratio, const Quantity& most, const Quantity& least, double& limit);
  /// Returns whether the quantity is a whole number, as far as Kubernetes looks: to thousandths.
  bool is_whole() const;

 private:
  std::int64_t milli_rounded_up() const;
  __extension__ using Wide = __int128;
  Wide billionths_ = 0;
};

/// Returns the text of a quantity as errors show it.
std::string quantity_text(const json::Value& value);

}  // namespace fairway::apiserver::validation
