// SPDX-License-Identifier: Apache-2.0

// Operators on numbers, and sums that do not lose what is small beside what is large.
#pragma once

#include <cmath>
#include <optional>

#include "promql/parser/dialect.h"
#include "promql/parser/token.h"

namespace fairway::promql {

/// Applies an operator to two scalars; comparisons give 1 or 0. Operators for histograms only give NaN.
double scalar_operation(TokenKind op, double left, double right);

/// The result of an operator on two samples.
struct Combined {
  double value = 0;
  /// True unless it is a comparison that does not hold.
  bool keep = true;
};
Combined combine(TokenKind op, double left, double right);

/// Returns the result of Go's math.Max or math.Min: NaN if either is NaN, except for the infinity that
/// decides.
double go_max(double a, double b);
double go_min(double a, double b);

/// A sum with Neumaier's correction.
struct CompensatedSum {
  double sum = 0;
  double correction = 0;

  /// Adds a value. In 2.x the correction of an infinite sum is NaN.
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

/// The mean of values added one by one. It is the compensated sum divided by the count, and switches to a
/// running mean if the sum would leave the range of a double.
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
