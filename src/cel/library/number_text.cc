#include "cel/library/internal/number_text.h"

#include <charconv>
#include <cmath>

#include "base/text.h"

namespace fairway::cel {

std::optional<double> parse_go_float(std::string_view text) {
  std::string_view digits = text;
  bool negative = false;
  if (digits.starts_with('+') || digits.starts_with('-')) {
    negative = digits[0] == '-';
    digits.remove_prefix(1);
  }
  const std::string lower = to_lower(digits);
  if (lower == "inf" || lower == "infinity") return negative ? -INFINITY : INFINITY;
  if (lower == "nan") return NAN;
  if (digits.empty() || !((digits[0] >= '0' && digits[0] <= '9') || digits[0] == '.')) return std::nullopt;
  double value = 0;
  const auto [end, status] = std::from_chars(lower.data(), lower.data() + lower.size(), value);
  if (end != lower.data() + lower.size()) return std::nullopt;
  if (status == std::errc::result_out_of_range) {
    // Too small is zero, too large is an error.
    const std::size_t exponent = lower.find("e-");
    if (exponent == std::string::npos) return std::nullopt;
    value = 0;
  } else if (status != std::errc{}) {
    return std::nullopt;
  }
  return negative ? -value : value;
}

std::string go_float_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Inf" : "+Inf";
  const double size = std::abs(value);
  const bool exponent = size != 0 && (size < 1e-4 || size >= 1e21);
  char text[400];
  const auto [end, status] = std::to_chars(
      text, text + sizeof text, value, exponent ? std::chars_format::scientific : std::chars_format::fixed);
  return std::string(text, end);
}

}  // namespace fairway::cel
