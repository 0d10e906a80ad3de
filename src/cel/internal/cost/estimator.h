// SPDX-License-Identifier: Apache-2.0

// The walk behind `estimate_cost`.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cel/internal/cost/path.h"
#include "cel/internal/cost/range.h"

namespace fairway::cel {

/// Sizes of keys and values in a list or map that the expression itself makes.
struct EntrySize {
  bool list = false;
  SizeRange key, value;
};

/// An argument of a call: the facts that the cost of a function follows from.
struct Argument {
  const Expression* expression = nullptr;
  TypePtr type;
  Path path;
  std::optional<SizeRange> size;

  SizeRange size_or_unbounded() const { return size.value_or(SizeRange{0, unbounded}); }
};

/// Returns whether all values of a type have the size 1.
bool is_scalar(const Type& type);

class Estimator {
 public:
  Estimator(const Environment& environment, const Checked& checked)
      : environment_(environment), checked_(checked) {}

  /// Returns the cost of an expression, and notes its path and sizes, in the order of cel-go's walk.
  CostEstimate cost(const Expression& expression);

 private:
  /// A variable of a macro.
  struct Local {
    std::string_view name;
    Path path;
    std::optional<SizeRange> size;
    std::optional<EntrySize> entries;
  };
  struct CallResult {
    CostEstimate cost;
    std::optional<SizeRange> size;
  };
  /// Cost of a loop that a macro expands to: of the accumulator's first value, of each round, and of the
  /// result.
  struct Loop {
    CostEstimate first, round, result = {1, 1};
    std::optional<EntrySize> entries;
  };

  CostEstimate identifier(const Expression& expression, const Identifier& name);
  CostEstimate select(const Expression& expression, const Select& select);
  CostEstimate call(const Expression& expression, const Call& call);
  CostEstimate logical(const Expression& expression, const Call& call);
  CostEstimate conditional(const Expression& expression, const Call& call);
  CostEstimate overloaded(const Expression& expression, const Call& call);
  CostEstimate list(const Expression& expression, const ListLiteral& literal);
  CostEstimate map(const Expression& expression, const MapLiteral& literal);
  CostEstimate comprehension(const Expression& expression, const Comprehension& macro);
  CostEstimate optional_map(const Expression& expression, const Comprehension& macro);
  CostEstimate sort_by(const Expression& expression, const Comprehension& macro);
  Loop loop(const Comprehension& macro);
  void push_variables(const Comprehension& macro, const Path& path, const std::optional<EntrySize>& entries,
                      TypeKind kind);

  /// Returns the cost of one overload beside its arguments, and the size of its result.
  CallResult cost_of(const FunctionOverload& overload, const std::vector<Argument>& arguments) const;
  CallResult cost_of_text(const FunctionOverload& overload, const std::vector<Argument>& arguments) const;
  CallResult cost_of_list(const FunctionOverload& overload, const std::vector<Argument>& arguments) const;
  static CallResult cost_of_equality(const std::vector<Argument>& arguments);
  /// Returns the size of an element of a list, as far as its place in the schema tells.
  SizeRange element_size(const Argument& list) const;

  const Local* find_local(std::string_view name) const;
  Argument argument(const Expression& expression);
  Path path_of(const Expression& expression) const;
  /// Returns the limit of the type to which a path leads.
  std::optional<SizeRange> limit_at(const Path& path) const;
  std::optional<SizeRange> size_of(const Expression& expression);
  SizeRange size_or_unbounded(const Expression& expression);
  std::optional<EntrySize> entries_of(const Expression& expression) const;
  void set_size(const Expression& expression, const std::optional<SizeRange>& size);
  void set_entries(const Expression& expression, const std::optional<EntrySize>& entries);

  const Environment& environment_;
  const Checked& checked_;
  std::vector<Local> locals_;
  std::unordered_map<const Expression*, Path> paths_;
  std::unordered_map<const Expression*, SizeRange> sizes_;
  std::unordered_map<const Expression*, EntrySize> entries_;
};

/// Returns the entries of two containers of which either may be meant.
std::optional<EntrySize> united(const std::optional<EntrySize>& a, const std::optional<EntrySize>& b);

}  // namespace fairway::cel
