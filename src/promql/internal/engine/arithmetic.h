// Operators on numbers, and sums that do not lose what is small beside what is large.
#pragma once

#include <cmath>
#include <optional>

#include "promql/parser/dialect.h"
#include "promql/parser/token.h"

namespace fairway::promql {

/// An operator between two scalars; comparisons give 1 or 0. Operators that only histograms know give NaN.
double scalar_operation(TokenKind op, double left, double right);

/// What an operator makes of two samples.
struct Combined {
  double value = 0;
  /// Of a comparison: whether it holds; otherwise true.
  bool keep = true;
};
Combined combine(TokenKind op, double left, double right);

/// Go's math.Max and math.Min: NaN if either is NaN, except for the infinity that decides.
double go_max(double a, double b);
double go_min(double a, double b);

/// A sum with Neumaier's correction.
struct CompensatedSum {
  double sum = 0;
  double correction = 0;

  /// In 2.x the correction of an infinite sum is no number.
  void add(double value, Dialect dialect = Dialect::prometheus3) {
    const double total = sum + value;
    if (std::isinf(total) && dialect == Dialect::prometheus3) {
      correction = 0;
    } else if (std::abs(sum) >= std::abs(value)) {
      correction += (sum - total) + value;
    } else {
      correction += (value - total) + sum;
    }
    sum = total;
  }
  double total() const { return std::isinf(sum) ? sum : sum + correction; }
};

/// The mean of values added one by one. It is the compensated sum by the count, and goes over to a running
/// mean where the sum would leave the range of a double.
class Mean {
 public:
  void add(double value);
  double value() const;

 private:
  CompensatedSum sum_;
  double count_ = 0;
  bool running_ = false;
};

}  // namespace fairway::promql
