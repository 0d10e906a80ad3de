// SPDX-License-Identifier: Apache-2.0

// The walk behind `check`.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cel/checker/checker.h"
#include "cel/internal/checker/unify.h"

namespace fairway::cel {

class CheckerState {
 public:
  CheckerState(const Environment& environment, const CheckOptions& options)
      : environment_(environment), options_(options) {}

  TypePtr check(const Expression& expression);
  std::expected<Checked, std::vector<TypeError>> finish(const TypePtr& type);

 private:
  TypePtr type_of(const Expression& expression);
  /// Returns the type of a name or chain of selections; nullptr if it is neither variable nor type.
  TypePtr name(const Expression& expression);
  TypePtr select(const Expression& expression, const ExpressionPtr& operand, const std::string& field,
                 bool optional);
  TypePtr call(const Expression& expression, const Call& call);
  TypePtr overload(const Expression& expression, std::string_view name,
                   const std::vector<const Expression*>& arguments, bool member);
  TypePtr list(const ListLiteral& literal);
  TypePtr map(const MapLiteral& literal);
  TypePtr comprehension(const Comprehension& comprehension);
  /// Sets the types of the variables for a list or map; false with an error for another range.
  bool variables_of(const Expression& range, bool two, TypePtr& first, TypePtr& second);
  /// Reports parts of a literal that are not of the type of the first one.
  void check_parts(const ListLiteral& literal);
  void check_parts(const MapLiteral& literal);
  TypePtr part_type(const Expression& expression, bool optional) const;
  bool check_same(const TypePtr& first, const TypePtr& other, Span span);
  /// Reports a template that does not fit its items, where both are literals.
  void check_format(const Call& call);
  /// Returns the item, or the part of its literal, of another kind; nullptr if there is none.
  const Expression* wrong_item(const Expression& item, std::span<const TypeKind> kinds) const;
  TypePtr join(const TypePtr& known, const TypePtr& next, Span span);
  void expect(const Expression& expression, const TypePtr& wanted);
  void check_literal_argument(std::string_view function, const std::vector<const Expression*>& arguments);
  TypePtr fail(Span span, std::string message);
  std::string text(const TypePtr& type) const { return to_string(*unifier_.resolve(type)); }
  bool is_local(std::string_view name) const;

  const Environment& environment_;
  CheckOptions options_;
  Unifier unifier_;
  Checked checked_;
  std::vector<TypeError> errors_;
  /// Number of enclosing calls of `format`.
  int any_types_ = 0;
  /// Literals whose parts must be of one type.
  std::vector<const ListLiteral*> lists_;
  std::vector<const MapLiteral*> maps_;
  std::vector<const Call*> formats_;
  std::vector<std::pair<std::string, TypePtr>> locals_;
};

}  // namespace fairway::cel
