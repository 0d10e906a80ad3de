// SPDX-License-Identifier: Apache-2.0

// The rules of a schema, in its shape.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "cel/types/type.h"
#include "validation_rules/internal/rule_program.h"

namespace fairway::validation_rules {

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

}  // namespace fairway::validation_rules
