// SPDX-License-Identifier: Apache-2.0

// The schema of one version of a custom resource, ready for use.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "apiserver/internal/apply/type_sources.h"
#include "base/json.h"
#include "base/result.h"
#include "schema/defaults.h"
#include "schema/problem.h"
#include "schema/validator.h"
#include "validation_rules/rule_set.h"

namespace fairway::apiserver::definitions {

/// A schema, ready for use. Immutable; safe from all threads. A request's object goes through `prune`,
/// `fill_in_defaults` and one of the validations, in this order; a stored object through the first two.
class CustomSchema {
 public:
  /// Makes a schema from the `openAPIV3Schema` of a valid definition.
  explicit CustomSchema(json::Object schema);

  /// Removes unknown fields, and returns their paths.
  std::vector<std::string> prune(json::Object& object) const;
  /// Removes unknown fields, including those of metadata, and returns their paths.
  std::vector<std::string> prune_all(json::Object& object) const;
  /// Fills in defaults. Errors: `too_large`, as `schema::fill_in_defaults`.
  Result<void> fill_in_defaults(json::Object& object, schema::Nulls nulls = schema::Nulls::removed) const;
  /// Removes nulls that count as absent and have no default.
  void remove_nulls(json::Object& object) const;

  /// Returns the problems of a new object, except those of its metadata. CEL rules are evaluated unless there
  /// are problems of a kind that rules cannot handle.
  schema::Violations validate(const json::Object& object) const;
  /// Returns the problems of an update. Invalid values that have not changed are tolerated.
  schema::Violations validate_update(const json::Object& object, const json::Object& old) const;
  /// Returns the problems of an update of the status subresource: only the status has to be valid.
  schema::Violations validate_status_update(const json::Object& object, const json::Object& old) const;

  const json::Object& schema() const { return *schema_; }
  /// The type for server-side apply, made at first use.
  apply::TypeRef apply_type() const;

 private:
  /// Adds the problems of embedded resources and list types.
  void add_structural_problems(const json::Object& object, const json::Object* old,
                               schema::Violations& problems) const;
  void add_rule_problems(const json::Value& object, const json::Value* old,
                         schema::Violations& problems) const;

  std::unique_ptr<const json::Object> schema_;  ///< the validators refer to it
  mutable std::once_flag made_apply_type_;
  mutable apply::OwnedType apply_type_;
  schema::Validator validator_;
  std::optional<schema::Validator> status_validator_;
  std::unique_ptr<const validation_rules::RuleSet> rules_;  ///< nullptr: none
};

}  // namespace fairway::apiserver::definitions
