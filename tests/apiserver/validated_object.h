// SPDX-License-Identifier: Apache-2.0

// Validation of a document by the strategy of its kind, without a server: what a create or an update would do
// of it.
#pragma once

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/internal/kinds/defaults.h"
#include "apiserver/internal/kinds/kinds.h"
#include "apiserver/internal/kinds/typed_object.h"
#include "apiserver/internal/objects/metadata_rules.h"
#include "apiserver/internal/resources/built_in.h"
#include "base/json.h"
#include "base/result.h"
#include "k8s/object.h"

namespace fairway::apiserver::testing {

/// Finds the resource of an object of a built-in kind; nullptr if there is none.
inline const resources::ServedResource* resource_of(const k8s::Dynamic& object) {
  static const std::vector<resources::ServedResource> all = resources::stored_built_in_resources();
  const auto found = std::ranges::find_if(all, [&](const resources::ServedResource& one) {
    return one.kind.api_version() == object.api_version() && one.kind.kind == object.kind();
  });
  return found == all.end() ? nullptr : &*found;
}

/// Reads a document as the server does, with defaults and the metadata of an object that is stored.
inline Result<k8s::Dynamic> read_object(const json::Value& document, std::string_view uid) {
  const resources::ServedResource* resource = resource_of(k8s::Dynamic(document.get_object()));
  if (resource == nullptr) return fail(ErrorCode::not_found, "no built-in kind: " + json::to_text(document));
  const kinds::MessageType* type = kinds::Kinds::find(resource->kind);
  const auto typed = kinds::read_typed(document, *type);
  if (!typed) return fail(typed.error());
  auto complete = kinds::apply_defaults(*typed, *type);
  if (!complete) return fail(complete.error());
  k8s::Dynamic made(std::move(complete->get_object()));
  made.set("metadata.uid", uid);
  made.set("metadata.creationTimestamp", "2023-11-14T22:13:20Z");
  if (resource->scope == k8s::Scope::namespaced && made.namespace_name().empty())
    made.set("metadata.namespace", "default");
  return made;
}

/// Returns the errors of a document. `old`: what is stored before an update, or null.
inline Result<std::vector<k8s::FieldError>> validate_object(const json::Value& document,
                                                            const json::Value& old, std::string_view uid) {
  auto object = read_object(document, uid);
  if (!object) return fail(object.error());
  const resources::ServedResource& resource = *resource_of(*object);
  const auto validated = [&](std::vector<k8s::FieldError> errors, const k8s::Dynamic* before) {
    for (k8s::FieldError& error : resource.strategy->validate(*object, before, resources::Part::object))
      errors.push_back(std::move(error));
    return errors;
  };
  if (old.is_null()) {
    resource.strategy->prepare_for_create(*object);
    resource.strategy->identify(*object, "");
    return validated(objects::check_metadata(*object, resource), nullptr);
  }
  auto before = read_object(old, uid);
  if (!before) return fail(before.error());
  for (k8s::Dynamic* one : {&*object, &*before}) one->set("metadata.resourceVersion", "1");
  if (const json::Value* status = before->find("status")) object->set("status", *status);
  resource.strategy->prepare_for_update(*object, *before, resources::Part::object);
  return validated(objects::check_metadata_update(*object, *before, resource), &*before);
}

}  // namespace fairway::apiserver::testing
