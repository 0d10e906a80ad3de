// SPDX-License-Identifier: Apache-2.0

// The CEL rules of one version of a custom resource, ready to judge its objects.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/internal/definitions/rule_program.h"
#include "apiserver/internal/definitions/rule_types.h"
#include "base/json.h"
#include "schema/problem.h"

namespace fairway::apiserver::definitions {

/// The rules of a schema and of those below it; only schemas with rules have a node.
struct RuleNode {
  const json::Object* schema = nullptr;
  /// The type that messages name: "object".
  std::string type_name;
  cel::TypePtr type;
  std::vector<RuleProgram> rules;
  std::unique_ptr<const RuleNode> items, values;
  std::map<std::string, std::unique_ptr<const RuleNode>, std::less<>> properties;
  /// Rules of the branches of `allOf`, for the same value.
  std::vector<std::unique_ptr<const RuleNode>> all_of;
};

/// The rules of a schema. Immutable; safe from all threads.
/// Rules: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go.
class RuleSet {
 public:
  /// Compiles the rules of `schema`, an `openAPIV3Schema`; nullptr if it has none. `schema` must outlive the
  /// result, at the same address.
  static std::unique_ptr<const RuleSet> compile(const json::Object& schema);

  /// Returns the problems of an object. `old` is the one that it replaces, or nullptr. In an update, an
  /// unchanged part is not checked again, except by rules about its change.
  schema::Violations validate(const json::Value& object, const json::Value* old) const;
  /// Returns the problems of defaults in the schema that do not satisfy its rules. `path` is that of the
  /// schema.
  schema::Violations check_defaults(const std::string& path) const;

 private:
  explicit RuleSet(std::unique_ptr<const RuleNode> root) : root_(std::move(root)) {}

  std::unique_ptr<const RuleNode> root_;
};

}  // namespace fairway::apiserver::definitions
