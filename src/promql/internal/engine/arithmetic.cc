// SPDX-License-Identifier: Apache-2.0

#include "promql/internal/engine/arithmetic.h"

#include <limits>

namespace fairway::promql {

double scalar_operation(TokenKind op, double left, double right) {
  const Combined combined = combine(op, left, right);
  if (is_comparison(op)) return combined.keep ? 1 : 0;
  return combined.value;
}

Combined combine(TokenKind op, double left, double right) {
  switch (op) {
    case TokenKind::add:
      return {left + right};
    case TokenKind::sub:
      return {left - right};
    case TokenKind::mul:
      return {left * right};
    case TokenKind::div:
      return {left / right};
    case TokenKind::pow:
      return {std::pow(left, right)};
    case TokenKind::mod:
      return {std::fmod(left, right)};
    case TokenKind::atan2:
      return {std::atan2(left, right)};
    case TokenKind::equal:
      return {left, left == right};
    case TokenKind::not_equal:
      return {left, left != right};
    case TokenKind::less:
      return {left, left < right};
    case TokenKind::less_equal:
      return {left, left <= right};
    case TokenKind::greater:
      return {left, left > right};
    case TokenKind::greater_equal:
      return {left, left >= right};
    default:
      return {std::numeric_limits<double>::quiet_NaN(), false};
  }
}

double go_max(double a, double b) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (a == infinity || b == infinity) return infinity;
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  if (a == 0 && b == 0) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

double go_min(double a, double b) {
  return -go_max(-a, -b);
}

void Mean::add(double value) {
  count_ += 1;
  if (count_ == 1) {
    sum_.sum = value;
    return;
  }
  if (!running_) {
    CompensatedSum next = sum_;
    next.add(value);
    if (!std::isinf(next.sum)) {
      sum_ = next;
      return;
    }
    running_ = true;
    sum_.sum /= count_ - 1;
    sum_.correction /= count_ - 1;
  }
  const double share = (count_ - 1) / count_;
  sum_.sum *= share;
  sum_.correction *= share;
  sum_.add(value / count_);
}

double Mean::value() const {
  return running_ ? sum_.sum + sum_.correction : sum_.sum / count_ + sum_.correction / count_;
}

}  // namespace fairway::promql
