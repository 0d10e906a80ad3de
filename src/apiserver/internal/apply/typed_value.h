// SPDX-License-Identifier: Apache-2.0

// A value with its type: what server-side apply compares and merges.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/internal/apply/field_set.h"
#include "apiserver/internal/apply/type.h"
#include "base/json.h"
#include "base/result.h"

namespace fairway::apiserver::apply {

/// The differences of the second of two values. No path is in two of the sets.
struct Comparison {
  FieldSet removed, modified, added;
  friend bool operator==(const Comparison&, const Comparison&) = default;
};

enum class Duplicates : bool { refused, allowed };

/// A value and its type, which must outlive it. Cheap to copy: the value is shared.
/// Rules: sigs.k8s.io/structured-merge-diff/v6/typed.
class TypedValue {
 public:
  /// Checks the value: its form, undeclared members, keys of lists, items that are there twice. Errors
  /// (`invalid`), all in one message: ".spec.ports: duplicate entries for key [port=80]".
  static Result<TypedValue> check(std::shared_ptr<const json::Value> value, TypeRef type,
                                  Duplicates duplicates = Duplicates::refused);
  static TypedValue unchecked(std::shared_ptr<const json::Value> value, TypeRef type);

  const json::Value& value() const { return *value_; }
  const std::shared_ptr<const json::Value>& shared_value() const { return value_; }
  TypeRef type() const { return type_; }

  /// Returns the paths of everything that the value sets: leaves, items of lists, members of maps, empty
  /// objects.
  Result<FieldSet> to_field_set() const;
  /// Compares this with `next`, of the same type.
  Result<Comparison> compare(const TypedValue& next) const;
  /// Merges `applied`, of the same type, into this. Nothing is removed. Items of lists are in this value's
  /// order if `applied` changes nothing there, else in the order of `applied`.
  Result<TypedValue> merge(const TypedValue& applied) const;
  /// Returns the value without these members and items.
  TypedValue remove_items(const FieldSet& items) const;
  /// Returns only these members and items; `with_keys` adds the keys of the items.
  TypedValue extract_items(const FieldSet& items, bool with_keys = false) const;
  /// Returns the set after the relationships of the type have changed since it was written: a manager that
  /// owned parts of a value that is atomic now owns all of it.
  Result<FieldSet> reconcile(const FieldSet& set) const;

 private:
  TypedValue(std::shared_ptr<const json::Value> value, TypeRef type);
  std::shared_ptr<const json::Value> value_;
  TypeRef type_;
};

}  // namespace fairway::apiserver::apply
