// SPDX-License-Identifier: Apache-2.0

#include "cel/internal/checker/unify.h"

#include <utility>

namespace fairway::cel {

namespace {

bool is_equal_or_less_specific(const Type& a, const Type& b) {
  if (a.kind == TypeKind::dyn || a.kind == TypeKind::parameter) return true;
  if (b.kind == TypeKind::dyn || b.kind == TypeKind::parameter) return false;
  if (a.kind != b.kind || a.parameters.size() != b.parameters.size()) return false;
  for (std::size_t i = 0; i < a.parameters.size(); ++i)
    if (!is_equal_or_less_specific(*a.parameters[i], *b.parameters[i])) return false;
  return true;
}

/// Returns whether null may be assigned to a type: null stands for values that may be absent.
bool takes_null(TypeKind kind) {
  return kind == TypeKind::object || kind == TypeKind::opaque || kind == TypeKind::duration ||
         kind == TypeKind::timestamp || kind == TypeKind::optional || kind == TypeKind::null_type;
}

}  // namespace

TypePtr Unifier::fresh() {
  return type_parameter("_" + std::to_string(next_++));
}

TypePtr Unifier::instantiate(const TypePtr& type, std::map<std::string, TypePtr>& variables) {
  if (type->kind == TypeKind::parameter) {
    TypePtr& variable = variables[type->name];
    if (!variable) variable = fresh();
    return variable;
  }
  if (type->parameters.empty()) return type;
  auto copy = std::make_shared<Type>(*type);
  for (TypePtr& parameter : copy->parameters) parameter = instantiate(parameter, variables);
  return copy;
}

const TypePtr* Unifier::bound(const TypePtr& type) const {
  if (type->kind != TypeKind::parameter) return nullptr;
  const auto found = bindings_.find(type->name);
  return found == bindings_.end() ? nullptr : &found->second;
}

bool Unifier::occurs(const std::string& variable, const TypePtr& type) const {
  if (type->kind == TypeKind::parameter) {
    if (type->name == variable) return true;
    const TypePtr* meaning = bound(type);
    return meaning && occurs(variable, *meaning);
  }
  for (const TypePtr& parameter : type->parameters)
    if (occurs(variable, parameter)) return true;
  return false;
}

bool Unifier::unify_parameters(const Type& from, const Type& to) {
  if (from.parameters.size() != to.parameters.size()) return false;
  for (std::size_t i = 0; i < from.parameters.size(); ++i)
    if (!unify(from.parameters[i], to.parameters[i])) return false;
  return true;
}

bool Unifier::unify(const TypePtr& from, const TypePtr& to) {
  if (to->kind == TypeKind::parameter) {
    if (from->kind == TypeKind::parameter && from->name == to->name) return true;
    if (const TypePtr* meaning = bound(to)) {
      const TypePtr known = *meaning;
      if (!unify(from, known)) return false;
      if (!occurs(to->name, from)) bindings_[to->name] = most_general(known, from);
      return true;
    }
    if (!occurs(to->name, from)) {
      bindings_[to->name] = from;
      return true;
    }
    // The other variable may already stand for this one.
    if (from->kind != TypeKind::parameter) return false;
  }
  if (from->kind == TypeKind::parameter) {
    if (const TypePtr* meaning = bound(from)) {
      const TypePtr known = *meaning;
      if (!unify(known, to)) return false;
      if (!occurs(from->name, to)) bindings_[from->name] = most_general(known, to);
      return true;
    }
    if (occurs(from->name, to)) return false;
    bindings_[from->name] = to;
    return true;
  }
  if (from->kind == TypeKind::dyn || to->kind == TypeKind::dyn) return true;
  if (from->kind == TypeKind::null_type && takes_null(to->kind)) return true;
  if (to->kind == TypeKind::null_type && takes_null(from->kind)) return true;
  if (from->kind != to->kind) return false;
  switch (from->kind) {
    case TypeKind::object:
    case TypeKind::opaque:
      return from->name == to->name;
    case TypeKind::type:
      return true;
    default:
      return unify_parameters(*from, *to);
  }
}

bool Unifier::assignable(const TypePtr& from, const TypePtr& to) {
  return assignable_all({from}, {to});
}

bool Unifier::assignable_all(const std::vector<TypePtr>& from, const std::vector<TypePtr>& to) {
  if (from.size() != to.size()) return false;
  auto before = bindings_;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (unify(from[i], to[i])) continue;
    bindings_ = std::move(before);
    return false;
  }
  return true;
}

TypePtr Unifier::resolve(const TypePtr& type, bool finally) const {
  if (const TypePtr* meaning = bound(type)) return resolve(*meaning, finally);
  if (type->kind == TypeKind::parameter) return finally ? simple_type(TypeKind::dyn) : type;
  if (type->parameters.empty()) return type;
  auto copy = std::make_shared<Type>(*type);
  bool changed = false;
  for (TypePtr& parameter : copy->parameters) {
    TypePtr resolved = resolve(parameter, finally);
    changed |= resolved != parameter;
    parameter = std::move(resolved);
  }
  return changed ? copy : type;
}

TypePtr Unifier::most_general(const TypePtr& a, const TypePtr& b) const {
  const TypePtr x = resolve(a), y = resolve(b);
  if (x->kind == TypeKind::null_type && takes_null(y->kind)) return b;
  if (y->kind == TypeKind::null_type && takes_null(x->kind)) return a;
  return is_equal_or_less_specific(*x, *y) ? a : b;
}

}  // namespace fairway::cel
