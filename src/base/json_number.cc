#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "base/internal/json_number.h"
#include "base/text.h"

namespace fairway::json {

namespace {

std::unexpected<std::string> refused(std::string_view text, const std::string& why) {
  return std::unexpected("the number " + printable(text, 60) + " is beyond " + why);
}

/// Whether a number that is no double is too large, not too small: its first digit that is not 0 stands
/// before the point.
bool is_large(std::string_view text) {
  std::size_t end = text.find_first_of("eE");
  long long exponent = 0;
  if (end == std::string_view::npos) {
    end = text.size();
  } else {
    const std::string_view digits = text.substr(end + (text.substr(end + 1).starts_with('+') ? 2 : 1));
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    if (read.ec == std::errc::result_out_of_range) return !digits.starts_with('-');
  }
  const std::string_view mantissa = text.substr(0, end);
  const std::size_t first = mantissa.find_first_of("123456789");
  if (first == std::string_view::npos) return false;
  const auto point = static_cast<long long>(std::min(mantissa.find('.'), mantissa.size()));
  return point - static_cast<long long>(first) + exponent > 0;
}

/// The text of a double that is an integer, as Go and JavaScript write it.
bool is_text_of(double number, std::string_view text) {
  std::string own;
  append_number(own, number);
  return own == std::string(text) + ".0";
}

template <class Integer>
void append_integer(std::string& out, Integer number) {
  std::array<char, 24> digits;
  out.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
}

}  // namespace

std::expected<double, std::string> read_double(std::string_view text, std::string_view if_rounded) {
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec == std::errc::result_out_of_range || std::isinf(number)) {
    if (is_large(text)) {
      if (text.find_first_of(".eE") == std::string_view::npos) return refused(text, "64 bits");
      return refused(text, "the largest that a double can be (about 1.8e308)");
    }
    number = text.starts_with('-') ? -0.0 : 0.0;
  }
  // From here on integers could be rounded.
  if (std::abs(number) >= 0x1p63 && text.find_first_of(".eE") == std::string_view::npos &&
      !is_text_of(number, text)) {
    return refused(text, "64 bits, and would be rounded" + std::string(if_rounded));
  }
  return number;
}

void append_number(std::string& out, std::int64_t number) {
  append_integer(out, number);
}

void append_number(std::string& out, std::uint64_t number) {
  append_integer(out, number);
}

void append_number(std::string& out, double number) {
  if (!std::isfinite(number)) {
    out += "null";
    return;
  }
  // "-1.2345e-07": the fewest digits that are read as this very number.
  std::array<char, 32> buffer;
  const auto written =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, std::chars_format::scientific);
  std::string_view text(buffer.data(), static_cast<std::size_t>(written.ptr - buffer.data()));
  if (text.starts_with('-')) {
    out += '-';
    text.remove_prefix(1);
  }
  const std::size_t e = text.find('e');
  int exponent = 0;
  const char* begin = text.data() + e + (text[e + 1] == '+' ? 2 : 1);
  std::from_chars(begin, written.ptr, exponent);
  std::array<char, 24> memory;
  memory[0] = text[0];
  const std::size_t size = e > 1 ? e - 1 : 1;
  std::copy(text.begin() + std::min<std::ptrdiff_t>(2, static_cast<std::ptrdiff_t>(e)),
            text.begin() + static_cast<std::ptrdiff_t>(e), memory.begin() + 1);
  const std::string_view digits(memory.data(), size);
  // Go and JavaScript leave the point where it is for numbers from 1e-6 to below 1e21.
  if (exponent < -6 || exponent >= 21) {
    out += digits[0];
    if (digits.size() > 1) (out += '.') += digits.substr(1);
    out += exponent < 0 ? "e-" : "e+";
    append_integer(out, std::abs(exponent));
  } else if (exponent < 0) {
    out += "0.";
    out.append(static_cast<std::size_t>(-exponent - 1), '0') += digits;
  } else {
    const auto whole = static_cast<std::size_t>(exponent) + 1;
    out += digits.substr(0, whole);
    if (digits.size() > whole) {
      (out += '.') += digits.substr(whole);
    } else {
      out.append(whole - digits.size(), '0') += ".0";
    }
  }
}

}  // namespace fairway::json
