// SPDX-License-Identifier: Apache-2.0

// Type variables and what is known of them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cel/types/type.h"

namespace fairway::cel {

class Unifier {
 public:
  /// Returns a new variable.
  TypePtr fresh();
  /// Returns the type with each parameter of a signature replaced by a new variable, the same one for the
  /// same name.
  TypePtr instantiate(const TypePtr& type, std::map<std::string, TypePtr>& variables);
  /// Returns whether a value of the first type can be used where the second is wanted. Binds variables; on
  /// failure it binds nothing.
  bool assignable(const TypePtr& from, const TypePtr& to);
  /// Checks all of them; binds nothing if one fails.
  bool assignable_all(const std::vector<TypePtr>& from, const std::vector<TypePtr>& to);
  /// Returns the type with bound variables replaced; unbound ones are replaced by dyn, if `finally`.
  TypePtr resolve(const TypePtr& type, bool finally = false) const;
  /// Returns the more general of two types, one of which is assignable to the other.
  TypePtr most_general(const TypePtr& a, const TypePtr& b) const;

 private:
  bool unify(const TypePtr& from, const TypePtr& to);
  bool unify_parameters(const Type& from, const Type& to);
  bool occurs(const std::string& variable, const TypePtr& type) const;
  const TypePtr* bound(const TypePtr& type) const;

  std::map<std::string, TypePtr> bindings_;
  int next_ = 0;
};

}  // namespace fairway::cel
