// SPDX-License-Identifier: Apache-2.0

// Validation of values by schemas.
#pragma once

#include <memory>
#include <string_view>

#include "base/json.h"
#include "schema/problem.h"

namespace fairway::schema {

/// Validates values by a schema (`openAPIV3Schema`), with all OpenAPI keywords and formats. Not included:
/// list types (`check_list_types`), metadata of embedded resources (`check_embedded_objects`) and CEL rules.
/// The schema is compiled once; a validator may be used by several threads.
///
/// Results and wording are those of kube-apiserver, including its quirks: k8s.io/kube-openapi/pkg/validation.
class Validator {
 public:
  /// `schema` must outlive this, at the same address. It need not be structural. Unknown keywords are
  /// ignored; an unknown type or an invalid pattern matches no value.
  explicit Validator(const json::Object& schema);
  ~Validator();
  Validator(Validator&&) noexcept;
  Validator& operator=(Validator&&) noexcept;

  /// All problems, without duplicates, in the order of the value's members. Paths are prefixed with `prefix`,
  /// such as "status" if the value is a status.
  Violations validate(const json::Value& value, std::string_view prefix = {}) const;
  /// Validates an update: values that are invalid, but unchanged since `old`, are tolerated (validation
  /// ratcheting). Items of lists are compared only if the list is a map.
  Violations validate_update(const json::Value& value, const json::Value& old,
                             std::string_view prefix = {}) const;
  /// Returns whether there are no problems. Cheaper than `validate`: stops at the first, and formats no
  /// message.
  bool is_valid(const json::Value& value) const;

  /// Returns whether a value that has not been defaulted yet is valid for `part`, a schema within this one:
  /// required members with a default may be absent. False if `part` belongs to another schema, or is below
  /// allOf, anyOf, oneOf or not.
  bool may_be(const json::Value& value, const json::Object& part) const;

  const json::Object& schema() const;

 private:
  struct Compiled;
  std::unique_ptr<const Compiled> compiled_;
};

}  // namespace fairway::schema
