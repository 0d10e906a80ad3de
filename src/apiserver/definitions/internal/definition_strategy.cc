#include "apiserver/definitions/internal/definition_strategy.h"

#include <utility>

#include "apiserver/definitions/internal/check_definition.h"
#include "apiserver/definitions/internal/definition_defaults.h"

namespace fairway::apiserver::definitions {

void DefinitionStrategy::prepare_for_create(k8s::Dynamic& definition) const {
  fill_in_definition_defaults(definition.json());
  prepare_definition_create(definition.json());
}

void DefinitionStrategy::prepare_for_update(k8s::Dynamic& definition, const k8s::Dynamic& old,
                                            Part part) const {
  if (part == Part::status) return;
  fill_in_definition_defaults(definition.json());
  prepare_definition_update(definition.json(), old.json());
}

std::vector<k8s::FieldError> DefinitionStrategy::validate(const k8s::Dynamic& definition,
                                                          const k8s::Dynamic* old, Part part) const {
  if (part == Part::status) return {};
  std::vector<k8s::FieldError> errors;
  schema::Problems problems = old == nullptr ? check_definition(definition.json())
                                             : check_definition_update(definition.json(), old->json());
  for (schema::Problem& problem : problems) {
    errors.push_back({.cause = std::string(problem.cause),
                      .field = std::move(problem.path),
                      .message = std::move(problem.message)});
  }
  return errors;
}

bool DefinitionStrategy::holds_deletion(const k8s::Dynamic& definition) const {
  return !definition.is_being_deleted();
}

void DefinitionStrategy::mark_deleted(k8s::Dynamic& definition) const {
  definition.add_finalizer(cleanup_finalizer);
}

}  // namespace fairway::apiserver::definitions
