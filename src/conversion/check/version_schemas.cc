// SPDX-License-Identifier: Apache-2.0

#include "conversion/check/version_schemas.h"

#include <algorithm>
#include <utility>

#include "conversion/internal/check/round_trip.h"
#include "schema/defaults.h"
#include "schema/field_path.h"
#include "schema/list_types.h"
#include "schema/metadata.h"
#include "schema/prune.h"

namespace fairway::conversion {

namespace {

constexpr std::string_view rules_keyword = "x-kubernetes-validations";

bool has_rules_in(const json::Value& value) {
  if (const json::Array* list = value.if_array()) return std::ranges::any_of(*list, has_rules_in);
  const json::Object* object = value.if_object();
  if (object == nullptr) return false;
  if (const json::Value* rules = object->if_contains(rules_keyword)) {
    if (rules->is_array() && !rules->get_array().empty()) return true;
  }
  return std::ranges::any_of(*object, [](const auto& member) { return has_rules_in(member.value()); });
}

/// Makes a violation a finding: the value is the object's own, and is left out of the cause.
Finding refused(const schema::Violation& violation, const json::Object& object) {
  std::string message = violation.message, detail = violation.message;
  if (const auto path = schema::FieldPath::parse(violation.path)) {
    if (const json::Value* value = path->find(object)) {
      detail = json::to_text(*value);
      const std::string shown = ": " + schema::ShownValue(*value).text();
      const std::size_t at = message.find(shown + ": ");
      if (at != std::string::npos) message.erase(at, shown.size());
    }
  }
  return {FindingKind::refused, path_of_cause(violation.path) + ": " + path_of_cause(message), violation.path,
          std::move(detail)};
}

}  // namespace

VersionSchemas::VersionSchemas(const k8s::CustomResourceDefinition& definition) {
  for (const k8s::CustomResourceVersion& version : definition.versions()) {
    if (version.schema().json().empty()) continue;
    versions_.emplace(version.name(), std::make_unique<const VersionSchema>(version.schema().json()));
  }
}

const VersionSchemas::VersionSchema* VersionSchemas::find_version(std::string_view version) const {
  const auto found = versions_.find(version);
  return found == versions_.end() ? nullptr : found->second.get();
}

const json::Object* VersionSchemas::find(std::string_view version) const {
  const VersionSchema* found = find_version(version);
  return found != nullptr ? &found->schema : nullptr;
}

bool VersionSchemas::has_rules(std::string_view version) const {
  const json::Object* schema = find(version);
  return schema != nullptr && has_rules_in(json::Value(*schema));
}

Result<void> VersionSchemas::settle(k8s::Dynamic& object, std::string_view version) const {
  const json::Object* schema = find(version);
  if (schema == nullptr) return {};
  schema::prune(object.json(), *schema);
  const auto filled = schema::fill_in_defaults(object.json(), *schema);
  if (!filled) return fail(filled.error().within("filling in the defaults of " + std::string(version)));
  return {};
}

std::vector<Finding> VersionSchemas::validate(const k8s::Dynamic& object, std::string_view version) const {
  const VersionSchema* found = find_version(version);
  if (found == nullptr) return {};
  schema::Violations violations = found->validator.validate(json::Value(object.json()));
  const auto add = [&](schema::Violations more) { std::ranges::move(more, std::back_inserter(violations)); };
  add(schema::check_embedded_objects(object.json(), found->schema));
  add(schema::check_list_types(object.json(), found->schema));
  std::vector<Finding> findings;
  for (const schema::Violation& violation : violations) {
    findings.push_back(refused(violation, object.json()));
  }
  return findings;
}

}  // namespace fairway::conversion
