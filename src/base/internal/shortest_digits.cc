// SPDX-License-Identifier: Apache-2.0

#include "base/internal/shortest_digits.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace fairway::internal {

ShortestDigits::ShortestDigits(double value) {
  // "-1.2345e-07"
  std::array<char, 32> buffer;
  const auto written =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific);
  std::string_view text(buffer.data(), static_cast<std::size_t>(written.ptr - buffer.data()));
  negative_ = text.starts_with('-');
  if (negative_) text.remove_prefix(1);
  const std::size_t e = text.find('e');
  std::from_chars(text.data() + e + (text[e + 1] == '+' ? 2 : 1), written.ptr, exponent_);
  digits_[0] = text[0];
  size_ = e > 1 ? e - 1 : 1;
  std::copy(text.begin() + std::min<std::ptrdiff_t>(2, static_cast<std::ptrdiff_t>(e)),
            text.begin() + static_cast<std::ptrdiff_t>(e), digits_.begin() + 1);
}

void ShortestDigits::append_plain(std::string& out) const {
  if (negative_) out += '-';
  if (exponent_ < 0) {
    out += "0.";
    out.append(static_cast<std::size_t>(-exponent_ - 1), '0') += digits();
    return;
  }
  const auto whole = static_cast<std::size_t>(exponent_) + 1;
  out += digits().substr(0, whole);
  if (size_ > whole) {
    (out += '.') += digits().substr(whole);
  } else {
    out.append(whole - size_, '0');
  }
}

void ShortestDigits::append_scientific(std::string& out, int exponent_digits) const {
  if (negative_) out += '-';
  out += digits_[0];
  if (size_ > 1) (out += '.') += digits().substr(1);
  out += exponent_ < 0 ? "e-" : "e+";
  const std::string power = std::to_string(std::abs(exponent_));
  out.append(static_cast<std::size_t>(std::max(0, exponent_digits - static_cast<int>(power.size()))), '0');
  out += power;
}

}  // namespace fairway::internal
