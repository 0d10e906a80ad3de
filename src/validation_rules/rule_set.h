// SPDX-License-Identifier: Apache-2.0

// The CEL rules of one version of a custom resource (x-kubernetes-validations), ready to judge its objects.
#pragma once

#include <memory>
#include <string>

#include "base/json.h"
#include "schema/problem.h"

namespace fairway::validation_rules {

struct RuleNode;

/// Returns whether one of the problems that a schema has with an object keeps its rules from being evaluated:
/// the object may not fit the types that they were checked for.
/// Rules: hasBlockingErr of k8s.io/apiextensions-apiserver/pkg/registry/customresource/strategy.go.
bool blocks_rules(const schema::Violations& problems);

/// The rules of a schema. Immutable; safe from all threads.
/// Rules: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go.
class RuleSet {
 public:
  ~RuleSet();
  RuleSet(const RuleSet&) = delete;
  RuleSet& operator=(const RuleSet&) = delete;

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
  explicit RuleSet(std::unique_ptr<const RuleNode> root);

  std::unique_ptr<const RuleNode> root_;
};

}  // namespace fairway::validation_rules
