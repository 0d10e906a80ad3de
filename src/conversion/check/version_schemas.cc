// SPDX-License-Identifier: Apache-2.0

#include "conversion/check/version_schemas.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "conversion/check/round_trip.h"
#include "schema/defaults.h"
#include "schema/field_path.h"
#include "schema/list_types.h"
#include "schema/metadata.h"
#include "schema/prune.h"
#include "schema/structural.h"
#include "validation_rules/check_rules.h"

namespace fairway::conversion {

namespace {

/// Faults of a definition that are named.
constexpr std::size_t most_problems = 20;

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
  versions_.emplace();
  std::size_t index = 0;
  for (const k8s::CustomResourceVersion& version : definition.versions()) {
    const std::string path = "spec.versions[" + std::to_string(index++) + "].schema.openAPIV3Schema";
    if (version.schema().json().empty()) {
      versions_->emplace(version.name(), nullptr);
      continue;
    }
    auto made = std::make_unique<VersionSchema>(version.schema().json());
    schema::Violations faults = schema::check_definition_schema(made->schema, path);
    if (faults.empty()) faults = validation_rules::check_rules(made->schema, path);
    if (faults.empty()) made->rules = validation_rules::RuleSet::compile(made->schema);
    for (const schema::Violation& fault : faults) {
      if (problems_.size() < most_problems)
        problems_.push_back(printable(fault.to_string(), Findings::longest_text));
    }
    versions_->emplace(version.name(), std::move(made));
  }
}

bool VersionSchemas::knows(std::string_view version) const {
  return !versions_ || versions_->contains(version);
}

const VersionSchemas::VersionSchema* VersionSchemas::find_version(std::string_view version) const {
  if (!versions_) return nullptr;
  const auto found = versions_->find(version);
  return found == versions_->end() ? nullptr : found->second.get();
}

const json::Object* VersionSchemas::find(std::string_view version) const {
  const VersionSchema* found = find_version(version);
  return found != nullptr ? &found->schema : nullptr;
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
  const json::Value value(object.json());
  schema::Violations violations = found->validator.validate(value);
  const auto add = [&](schema::Violations more) { std::ranges::move(more, std::back_inserter(violations)); };
  add(schema::check_embedded_objects(object.json(), found->schema));
  add(schema::check_list_types(object.json(), found->schema));
  const bool has_rules = found->rules != nullptr;
  const bool is_evaluated = has_rules && !validation_rules::blocks_rules(violations);
  if (is_evaluated) add(found->rules->validate(value, nullptr));
  std::vector<Finding> findings;
  for (const schema::Violation& violation : violations) {
    findings.push_back(refused(violation, object.json()));
  }
  if (has_rules && !is_evaluated) {
    findings.push_back({FindingKind::refused,
                        "the rules of the schema were not evaluated, because of the other reasons",
                        {},
                        {}});
  }
  return findings;
}

}  // namespace fairway::conversion
