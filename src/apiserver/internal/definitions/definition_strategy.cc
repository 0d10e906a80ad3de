// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/definitions/definition_strategy.h"

#include <set>
#include <string>
#include <utility>

#include "apiserver/internal/definitions/check_definition.h"
#include "apiserver/internal/definitions/definition_defaults.h"
#include "base/quoted_text.h"
#include "schema/unknown_formats.h"

namespace fairway::apiserver::definitions {
namespace {

/// Returns the formats of all versions that have no effect.
std::set<std::string> formats_of(const k8s::View& definition) {
  std::set<std::string> all;
  for (const k8s::View& version : definition.items("spec.versions")) {
    for (std::string& format : schema::unknown_formats(version.at("schema.openAPIV3Schema").json()))
      all.insert(std::move(format));
  }
  return all;
}

}  // namespace

void DefinitionStrategy::prepare_for_create(k8s::Dynamic& definition) const {
  fill_in_definition_defaults(definition.json());
  prepare_definition_create(definition.json());
}

void DefinitionStrategy::prepare_for_update(k8s::Dynamic& definition, const k8s::Dynamic& old,
                                            resources::Part part) const {
  if (part == resources::Part::status) return;
  fill_in_definition_defaults(definition.json());
  prepare_definition_update(definition.json(), old.json());
}

std::vector<k8s::FieldError> DefinitionStrategy::validate(const k8s::Dynamic& definition,
                                                          const k8s::Dynamic* old,
                                                          resources::Part part) const {
  if (part == resources::Part::status) return {};
  std::vector<k8s::FieldError> errors;
  schema::Violations problems = old == nullptr ? check_definition(definition.json())
                                               : check_definition_update(definition.json(), old->json());
  for (schema::Violation& problem : problems) {
    errors.push_back({.cause = std::string(problem.cause),
                      .field = std::move(problem.path),
                      .message = std::move(problem.message)});
  }
  return errors;
}

std::vector<std::string> DefinitionStrategy::warnings(const k8s::Dynamic& definition,
                                                      const k8s::Dynamic* old) const {
  const std::set<std::string> before = old != nullptr ? formats_of(*old) : std::set<std::string>();
  std::vector<std::string> warnings;
  for (const std::string& format : formats_of(definition)) {
    if (!before.contains(format)) warnings.push_back("unrecognized format " + quote(format));
  }
  return warnings;
}

bool DefinitionStrategy::holds_deletion(const k8s::Dynamic& definition) const {
  return !definition.is_being_deleted();
}

void DefinitionStrategy::mark_deleted(k8s::Dynamic& definition) const {
  definition.add_finalizer(cleanup_finalizer);
}

}  // namespace fairway::apiserver::definitions
