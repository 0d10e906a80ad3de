// SPDX-License-Identifier: Apache-2.0

#include "validation_rules/rule_set.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "k8s/status.h"
#include "k8s/view.h"
#include "validation_rules/internal/rule_evaluation.h"
#include "validation_rules/internal/rule_node.h"
#include "validation_rules/internal/rule_types.h"

namespace fairway::validation_rules {

namespace {

using schema::Violations;

const json::Object* object_at(const json::Object& schema, std::string_view key) {
  const json::Value* value = schema.if_contains(key);
  return value == nullptr ? nullptr : value->if_object();
}

/// Makes the node of `rules`, which is a schema or a branch of its `allOf`. nullptr if there are no rules in
/// it or below it. `schema` declares the types of the values.
std::unique_ptr<const RuleNode> make_node(const json::Object& rules, const json::Object& schema,
                                          RuleTypes& types) {
  const DeclaredType* type = types.find(schema);
  auto node = std::make_unique<RuleNode>();
  node->schema = &schema;
  node->type_name = k8s::View(schema).text("type");
  const json::Value* own = rules.if_contains("x-kubernetes-validations");
  if (type != nullptr) {
    node->type = type->type;
    if (own != nullptr && own->is_array()) node->rules = compile_rules(schema, own->get_array(), *type);
  }
  const auto below = [&](const char* keyword) -> std::unique_ptr<const RuleNode> {
    const json::Object *part = object_at(rules, keyword), *of_schema = object_at(schema, keyword);
    return part == nullptr || of_schema == nullptr ? nullptr : make_node(*part, *of_schema, types);
  };
  node->items = below("items");
  node->values = below("additionalProperties");
  const json::Object *properties = object_at(rules, "properties"),
                     *of_schema = object_at(schema, "properties");
  if (properties != nullptr && of_schema != nullptr) {
    for (const auto& property : *properties) {
      const json::Object *part = property.value().if_object(),
                         *member = object_at(*of_schema, property.key());
      // Fields that expressions cannot see are not validated, nor anything within them.
      if (part == nullptr || member == nullptr || types.find(*member) == nullptr) continue;
      if (auto made = make_node(*part, *member, types)) {
        node->properties.emplace(std::string(property.key()), std::move(made));
      }
    }
  }
  if (const json::Value* branches = rules.if_contains("allOf"); branches != nullptr && branches->is_array()) {
    for (const json::Value& branch : branches->get_array()) {
      if (!branch.is_object()) continue;
      if (auto made = make_node(branch.get_object(), schema, types)) node->all_of.push_back(std::move(made));
    }
  }
  const bool is_empty = node->rules.empty() && node->items == nullptr && node->values == nullptr &&
                        node->properties.empty() && node->all_of.empty();
  return is_empty ? nullptr : std::move(node);
}

void check_default(const RuleNode& node, const std::string& path, Violations& problems) {
  const json::Value* preset = node.schema->if_contains("default");
  if (preset != nullptr && !preset->is_null()) {
    // It may come with a new object, and may be there already.
    for (const json::Value* old : {preset, static_cast<const json::Value*>(nullptr)}) {
      RuleEvaluation evaluation(path + ".default");
      evaluation.validate(node, *preset, old, false);
      Violations found = evaluation.take();
      problems.insert(problems.end(), found.begin(), found.end());
      if (!found.empty()) break;
    }
  }
  if (node.items != nullptr) check_default(*node.items, path + ".items", problems);
  for (const auto& [name, property] : node.properties) {
    check_default(*property, path + ".properties[" + name + "]", problems);
  }
}

}  // namespace

bool blocks_rules(const schema::Violations& problems) {
  constexpr std::array<std::string_view, 5> blocking = {
      k8s::cause::field_value_not_supported, k8s::cause::field_value_required,
      k8s::cause::field_value_too_long, k8s::cause::field_value_too_many,
      k8s::cause::field_value_type_invalid};
  return std::ranges::any_of(problems, [&](const schema::Violation& problem) {
    return std::ranges::find(blocking, problem.cause) != blocking.end();
  });
}

RuleSet::RuleSet(std::unique_ptr<const RuleNode> root) : root_(std::move(root)) {}
RuleSet::~RuleSet() = default;

std::unique_ptr<const RuleSet> RuleSet::compile(const json::Object& schema) {
  RuleTypes types(schema);
  auto root = make_node(schema, schema, types);
  if (root == nullptr) return nullptr;
  return std::unique_ptr<const RuleSet>(new RuleSet(std::move(root)));
}

Violations RuleSet::validate(const json::Value& object, const json::Value* old) const {
  RuleEvaluation evaluation;
  evaluation.validate(*root_, object, old, true);
  return evaluation.take();
}

Violations RuleSet::check_defaults(const std::string& path) const {
  Violations problems;
  check_default(*root_, path, problems);
  return problems;
}

}  // namespace fairway::validation_rules
