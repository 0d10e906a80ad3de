// SPDX-License-Identifier: Apache-2.0

// The walk behind `estimate_cost`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cel/internal/cost/range.h"

namespace fairway::cel {

/// Sizes of keys and values in a list or map.
struct EntrySize {
  bool list = false;
  SizeRange key, value;
};

/// The estimate of a part of an expression.
struct Part {
  CostEstimate cost;
  TypePtr type;
  /// True if it is read from a variable: then the sizes of its type apply.
  bool from_variable = false;
  std::optional<SizeRange> size;
  std::optional<EntrySize> entries;
  const Expression* expression = nullptr;

  SizeRange size_or_unbounded() const { return size.value_or(SizeRange{0, unbounded}); }
};

class Estimator {
 public:
  Estimator(const Environment& environment, const Checked& checked)
      : environment_(environment), checked_(checked) {}

  Part estimate(const Expression& expression);

 private:
  struct Local {
    std::string name;
    Part part;
  };
  struct CallResult {
    CostEstimate cost;
    std::optional<SizeRange> size;
  };

  Part identifier(const Expression& expression, const Identifier& name);
  Part select(const Expression& expression, const Select& select);
  Part call(const Expression& expression, const Call& call);
  Part conditional(const Expression& expression, const Call& call);
  Part overloaded(const Expression& expression, std::vector<Part> arguments);
  Part list(const Expression& expression, const ListLiteral& literal);
  Part map(const Expression& expression, const MapLiteral& literal);
  Part comprehension(const Expression& expression, const Comprehension& comprehension);
  Part optional_map(const Expression& expression, const Comprehension& comprehension, const Part& target);
  Part sort_by(const Expression& expression, const Comprehension& comprehension, const Part& range);
  void push_variables(const Comprehension& comprehension, const Part& range);

  /// Returns the cost of one overload beside its arguments, and the size of its result.
  static CallResult cost_of(const FunctionOverload& overload, const std::vector<Part>& arguments);
  static CallResult cost_of_text(const FunctionOverload& overload, const std::vector<Part>& arguments);
  static CallResult cost_of_list(const FunctionOverload& overload, const std::vector<Part>& arguments);
  static CallResult cost_of_equality(const std::vector<Part>& arguments);
  /// Returns the size of an element of a list, as far as its type tells.
  static SizeRange element_size(const Part& list);

  Part part_of(const Expression& expression) const;
  /// Sets the size by type, unless the part has one already.
  static void add_size(Part& part);

  const Environment& environment_;
  const Checked& checked_;
  std::vector<Local> locals_;
};

}  // namespace fairway::cel
