// SPDX-License-Identifier: Apache-2.0

// The types that the CEL rules of a definition see.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "cel/types/type.h"

namespace fairway::validation_rules {

/// The type of a schema for expressions.
struct DeclaredType {
  cel::TypePtr type;
  /// Smallest size of such a value's JSON, in bytes.
  std::int64_t min_bytes = 0;
};

/// The largest request for Kubernetes's estimates of cost; a constant of theirs, which limits nothing.
inline constexpr std::int64_t largest_request = 3 * 1024 * 1024;

/// Returns the name of a member in expressions: `namespace` is `__namespace__`, `a-b` is `a__dash__b`.
/// std::nullopt: expressions cannot name it.
/// Rules: k8s.io/apiserver/pkg/cel/escaping.go.
std::optional<std::string> name_in_rules(std::string_view member);

/// The types of all parts of a structural schema, each made once.
/// Rules: SchemaDeclType of k8s.io/apiserver/pkg/cel/common/schemas.go.
class RuleTypes {
 public:
  /// Makes the types of `root`, the schema of a version, which stays at its address.
  explicit RuleTypes(const json::Object& root);

  /// Returns the type of a schema, which is `root` or a part of it; nullptr: expressions cannot see its
  /// values.
  const DeclaredType* find(const json::Object& schema);

 private:
  /// Returns the type of a schema. `name` is the type's name if it is an object: different objects have
  /// different ones.
  const DeclaredType* find(const json::Object& schema, const std::string& name);
  std::optional<DeclaredType> declare(const json::Object& schema, const std::string& name);
  std::optional<DeclaredType> declare_array(const json::Object& schema, const std::string& name);
  std::optional<DeclaredType> declare_object(const json::Object& schema, const std::string& name);

  const json::Object& root_;
  std::map<const json::Object*, std::optional<DeclaredType>> types_;
};

}  // namespace fairway::validation_rules
