// SPDX-License-Identifier: Apache-2.0

// The schemas of a kind's versions, as far as a check of its conversion needs them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "conversion/check/findings.h"
#include "k8s/custom_resource_definition.h"
#include "schema/validator.h"

namespace fairway::conversion {

/// The schemas of the versions of a definition. A version without a schema accepts and keeps everything.
class VersionSchemas {
 public:
  /// No version has a schema.
  VersionSchemas() = default;
  explicit VersionSchemas(const k8s::CustomResourceDefinition& definition);

  /// Returns the schema of a version; nullptr if it has none.
  const json::Object* find(std::string_view version) const;
  /// Returns whether the schema of a version has CEL rules (x-kubernetes-validations), which `validate`
  /// leaves out.
  bool has_rules(std::string_view version) const;
  /// Does the API server's part with an object that was converted to a version, or stored in it: removes the
  /// fields that the schema does not have, and fills in defaults. The error is that there are too many
  /// defaults.
  Result<void> settle(k8s::Dynamic& object, std::string_view version) const;
  /// Returns the reasons why the schema of its version refuses an object (`refused`), the causes without its
  /// values.
  std::vector<Finding> validate(const k8s::Dynamic& object, std::string_view version) const;

 private:
  struct VersionSchema {
    explicit VersionSchema(json::Object given) : schema(std::move(given)), validator(schema) {}
    const json::Object schema;
    const schema::Validator validator;
  };
  const VersionSchema* find_version(std::string_view version) const;

  std::map<std::string, std::unique_ptr<const VersionSchema>, std::less<>> versions_;
};

}  // namespace fairway::conversion
