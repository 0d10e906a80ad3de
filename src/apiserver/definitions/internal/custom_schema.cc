#include "apiserver/definitions/internal/custom_schema.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "schema/defaults.h"
#include "schema/list_types.h"
#include "schema/metadata.h"
#include "schema/prune.h"
#include "schema/schema.h"

namespace fairway::apiserver::definitions {

namespace {

void append(schema::Problems& problems, schema::Problems further) {
  std::ranges::move(further, std::back_inserter(problems));
}

}  // namespace

CustomSchema::CustomSchema(json::Object schema)
    : schema_(std::make_unique<const json::Object>(std::move(schema))), validator_(*schema_) {
  if (const json::Object* status = schema::member_schema(*schema_, "status"))
    status_validator_.emplace(*status);
}

std::vector<std::string> CustomSchema::prune(json::Object& object) const {
  return schema::prune(object, *schema_);
}

Result<void> CustomSchema::fill_in_defaults(json::Object& object) const {
  auto filled = schema::fill_in_defaults(object, *schema_);
  if (!filled) return fail(std::move(filled.error()));
  return {};
}

void CustomSchema::add_structural_problems(const json::Object& object, const json::Object* old,
                                           schema::Problems& problems) const {
  append(problems, schema::check_embedded_objects(object, *schema_));
  // Lists that were wrong before may stay so, since the rule may be newer than they are.
  if (old != nullptr && !schema::check_list_types(*old, *schema_).empty()) return;
  append(problems, schema::check_list_types(object, *schema_));
}

schema::Problems CustomSchema::validate(const json::Object& object) const {
  schema::Problems problems = validator_.validate(json::Value(object));
  add_structural_problems(object, nullptr, problems);
  return problems;
}

schema::Problems CustomSchema::validate_update(const json::Object& object, const json::Object& old) const {
  schema::Problems problems = validator_.validate_update(json::Value(object), json::Value(old));
  add_structural_problems(object, &old, problems);
  return problems;
}

schema::Problems CustomSchema::validate_status_update(const json::Object& object,
                                                      const json::Object& old) const {
  schema::Problems problems;
  const json::Value* status = object.if_contains("status");
  if (status != nullptr && status_validator_) {
    const json::Value* old_status = old.if_contains("status");
    problems = old_status == nullptr ? status_validator_->validate(*status, "status")
                                     : status_validator_->validate_update(*status, *old_status, "status");
  }
  add_structural_problems(object, &old, problems);
  return problems;
}

}  // namespace fairway::apiserver::definitions
