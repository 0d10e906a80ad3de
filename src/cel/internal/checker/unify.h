// Type variables and what is known of them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cel/types/type.h"

namespace fairway::cel {

class Unifier {
 public:
  /// A new variable.
  TypePtr fresh();
  /// The type with each parameter of a signature replaced by a new variable, the same one for the same name.
  TypePtr instantiate(const TypePtr& type, std::map<std::string, TypePtr>& variables);
  /// Returns whether a value of the first type can stand where the second is wanted. Binds variables; what
  /// was bound on the way to a failure stays only where `assignable_all` succeeds.
  bool assignable(const TypePtr& from, const TypePtr& to);
  /// All of them, or nothing is bound.
  bool assignable_all(const std::vector<TypePtr>& from, const std::vector<TypePtr>& to);
  /// The type with bound variables replaced; those that stay unbound too, by dyn, if `finally`.
  TypePtr resolve(const TypePtr& type, bool finally = false) const;
  /// The more general of two types of which one can stand for the other.
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
