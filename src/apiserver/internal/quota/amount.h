// SPDX-License-Identifier: Apache-2.0

// Quantities that are added up: what a ResourceQuota allows, and what is used of it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/json.h"
#include "cel/library/quantity.h"

namespace fairway::apiserver::quota {

/// A quantity ("500m", "1Gi") that can be added to another one and written.
class Amount {
 public:
  Amount() = default;
  /// Returns a number of things.
  static Amount of(std::int64_t count);
  /// Reads a quantity as it is stored; 0 for anything else.
  static Amount read(const json::Value& value);

  /// Adds a quantity. A sum has the form of the first one that is not 0, as in resource.Quantity.
  Amount& operator+=(const Amount& other);
  Amount& operator-=(const Amount& other);
  friend bool operator==(const Amount& a, const Amount& b) { return a.nano_ == b.nano_; }
  friend auto operator<=>(const Amount& a, const Amount& b) { return a.nano_ <=> b.nano_; }
  bool is_zero() const { return nano_ == 0; }
  bool is_negative() const { return nano_ < 0; }
  /// Returns the number of parts, of which a unit has that many, rounded up: 1500 of "1500m" for 1000.
  std::int64_t parts(std::int64_t of_a_unit) const;
  /// Returns the next whole number.
  Amount rounded_up() const;
  /// Returns the canonical text, as Kubernetes writes it.
  std::string text() const;

 private:
  cel::Nano nano_ = 0;
  /// True if it is written with Ki, Mi and so on.
  bool is_binary_ = false;
};

/// Amounts by the name of what they measure: "requests.cpu", "count/jobs.batch".
using Amounts = std::map<std::string, Amount, std::less<>>;

/// Reads an object of quantities; null is empty.
Amounts read_amounts(const json::Value* value);
/// Writes amounts as an object of quantities.
json::Object write_amounts(const Amounts& amounts);
/// Adds each amount to that of the same name.
void add(Amounts& amounts, const Amounts& others);
/// Returns the amounts as errors show them: "cpu=1,pods=2".
std::string list_amounts(const Amounts& amounts);

}  // namespace fairway::apiserver::quota
