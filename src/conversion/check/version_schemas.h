// SPDX-License-Identifier: Apache-2.0

// The schemas of a kind's versions, as far as a check of its conversion needs them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "conversion/check/findings.h"
#include "k8s/custom_resource_definition.h"
#include "schema/validator.h"
#include "validation_rules/rule_set.h"

namespace fairway::conversion {

/// The versions of a definition and their schemas. A version without a schema accepts and keeps everything.
class VersionSchemas {
 public:
  /// Nothing is known of the definition: it has all versions, without schemas.
  VersionSchemas() = default;
  explicit VersionSchemas(const k8s::CustomResourceDefinition& definition);

  /// Returns the faults of the schemas and rules, for which API servers refuse the definition, as texts for
  /// people; the first ones. The rules of a version with faults are not evaluated.
  const std::vector<std::string>& problems() const { return problems_; }
  /// Returns whether the definition has a version.
  bool knows(std::string_view version) const;
  /// Returns the schema of a version; nullptr if it has none.
  const json::Object* find(std::string_view version) const;
  /// Does the API server's part with an object that was converted to a version, or stored in it: removes the
  /// fields that the schema does not have, and fills in defaults. The error is that there are too many
  /// defaults.
  Result<void> settle(k8s::Dynamic& object, std::string_view version) const;
  /// Returns the reasons why the schema of its version and the CEL rules in it refuse an object (`refused`),
  /// the causes without its values. Rules about a change (oldSelf) are left out, as when an object is made.
  std::vector<Finding> validate(const k8s::Dynamic& object, std::string_view version) const;

 private:
  struct VersionSchema {
    explicit VersionSchema(json::Object given) : schema(std::move(given)), validator(schema) {}
    const json::Object schema;  ///< the others refer to it
    const schema::Validator validator;
    std::unique_ptr<const validation_rules::RuleSet> rules;  ///< nullptr: none
  };
  const VersionSchema* find_version(std::string_view version) const;

  std::vector<std::string> problems_;
  /// The schemas of all versions, nullptr for one without; std::nullopt: nothing is known.
  std::optional<std::map<std::string, std::unique_ptr<const VersionSchema>, std::less<>>> versions_;
};

}  // namespace fairway::conversion
