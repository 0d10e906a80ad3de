// SPDX-License-Identifier: Apache-2.0

// The shortest decimal digits of a double, which every text of a number is made of.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace fairway::internal {

/// The fewest digits that read back as the same number, which is finite, and the place of the decimal point.
class ShortestDigits {
 public:
  explicit ShortestDigits(double value);
  /// The power of ten of the first digit.
  int exponent() const { return exponent_; }
  /// Returns whether `append_plain` appends no point.
  bool is_integer() const { return exponent_ >= 0 && size_ <= static_cast<std::size_t>(exponent_) + 1; }
  /// "-1234000", "0.00001234"
  void append_plain(std::string& out) const;
  /// "1.234e-05", with an exponent of at least so many digits.
  void append_scientific(std::string& out, int exponent_digits) const;

 private:
  std::string_view digits() const { return {digits_.data(), size_}; }

  std::array<char, 24> digits_;
  std::size_t size_ = 0;
  int exponent_ = 0;
  bool negative_ = false;
};

}  // namespace fairway::internal
