// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/definitions/custom_schema.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "schema/list_types.h"
#include "schema/metadata.h"
#include "schema/prune.h"
#include "schema/prune_metadata.h"
#include "schema/schema.h"

namespace fairway::apiserver::definitions {

namespace {

void append(schema::Violations& problems, schema::Violations further) {
  std::ranges::move(further, std::back_inserter(problems));
}

}  // namespace

CustomSchema::CustomSchema(json::Object schema)
    : schema_(std::make_unique<const json::Object>(std::move(schema))),
      validator_(*schema_),
      rules_(validation_rules::RuleSet::compile(*schema_)) {
  if (const json::Object* status = schema::member_schema(*schema_, "status"))
    status_validator_.emplace(*status);
}

std::vector<std::string> CustomSchema::prune(json::Object& object) const {
  return schema::prune(object, *schema_);
}

std::vector<std::string> CustomSchema::prune_all(json::Object& object) const {
  std::vector<std::string> paths = schema::prune_metadata(object, {});
  std::ranges::move(prune(object), std::back_inserter(paths));
  std::ranges::move(schema::prune_metadata(object, *schema_), std::back_inserter(paths));
  return paths;
}

apply::TypeRef CustomSchema::apply_type() const {
  std::call_once(made_apply_type_, [this] { apply_type_ = apply::type_of_schema(schema_.get()); });
  return apply_type_.root;
}

Result<void> CustomSchema::fill_in_defaults(json::Object& object, schema::Nulls nulls) const {
  auto filled = schema::fill_in_defaults(object, *schema_, schema::max_default_values, nulls);
  if (!filled) return fail(std::move(filled.error()));
  return {};
}

void CustomSchema::remove_nulls(json::Object& object) const {
  schema::remove_nulls(object, *schema_);
}

void CustomSchema::add_structural_problems(const json::Object& object, const json::Object* old,
                                           schema::Violations& problems) const {
  append(problems, schema::check_embedded_objects(object, *schema_));
  // Lists that were wrong before may stay so, since the rule may be newer than they are.
  if (old != nullptr && !schema::check_list_types(*old, *schema_).empty()) return;
  append(problems, schema::check_list_types(object, *schema_));
}

void CustomSchema::add_rule_problems(const json::Value& object, const json::Value* old,
                                     schema::Violations& problems) const {
  if (rules_ == nullptr) return;
  if (validation_rules::blocks_rules(problems)) {
    problems.push_back(
        schema::invalid("<nil>", json::Value(nullptr),
                        "some validation rules were not checked because the object was invalid; "
                        "correct the existing errors to complete validation"));
    return;
  }
  append(problems, rules_->validate(object, old));
}

schema::Violations CustomSchema::validate(const json::Object& object) const {
  const json::Value value(object);
  schema::Violations problems = validator_.validate(value);
  add_structural_problems(object, nullptr, problems);
  add_rule_problems(value, nullptr, problems);
  return problems;
}

schema::Violations CustomSchema::validate_update(const json::Object& object, const json::Object& old) const {
  const json::Value value(object), old_value(old);
  schema::Violations problems = validator_.validate_update(value, old_value);
  add_structural_problems(object, &old, problems);
  add_rule_problems(value, &old_value, problems);
  return problems;
}

schema::Violations CustomSchema::validate_status_update(const json::Object& object,
                                                        const json::Object& old) const {
  schema::Violations problems;
  const json::Value* status = object.if_contains("status");
  if (status != nullptr && status_validator_) {
    const json::Value* old_status = old.if_contains("status");
    problems = old_status == nullptr ? status_validator_->validate(*status, "status")
                                     : status_validator_->validate_update(*status, *old_status, "status");
  }
  add_structural_problems(object, &old, problems);
  if (rules_ != nullptr) {
    const json::Value value(object), old_value(old);
    add_rule_problems(value, &old_value, problems);
  }
  return problems;
}

}  // namespace fairway::apiserver::definitions
