// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/objects/selected.h"

#include <functional>

#include "apiserver/internal/objects/object_text.h"
#include "apiserver/internal/objects/selectable_fields.h"
#include "base/json_compact.h"
#include "base/text.h"

namespace fairway::apiserver::objects {
namespace {

constexpr std::string_view name_path = "metadata.name", namespace_path = "metadata.namespace";

/// Returns the parts that selectors look at: labels, and the selectable fields.
k8s::StatusResult<json::Object> selectable_parts(const storage::Record& record,
                                                 const resources::ServedResource& resource) {
  auto object = object_in_version(record, resource);
  if (!object) return std::unexpected(object.error());
  k8s::Dynamic parts;
  for (const std::string_view path : {name_path, namespace_path, std::string_view("metadata.labels")}) {
    if (const json::Value* value = object->find(path)) parts.set(path, json::Value(*value));
  }
  copy_selectable(resource, *object, parts);
  // Its name in Kubernetes is that of the component alone.
  if (resource.kind.kind == "Event" && resource.kind.group.empty()) {
    const std::string_view component = object->text("source.component");
    parts.set("source", component.empty() ? object->text("reportingComponent") : component);
  }
  return json::compact(parts.json());
}

}  // namespace

k8s::StatusResult<Selection> Selection::of(const resources::ServedResourcePtr& resource,
                                           k8s::LabelSelector labels, k8s::FieldSelector fields) {
  Selection made;
  for (const k8s::FieldRequirement& requirement : fields.requirements()) {
    if (auto checked = check_selectable(*resource, requirement.path); !checked) {
      return std::unexpected(checked.error());
    }
    if (requirement.path == name_path && requirement.equals) made.name_ = requirement.value;
  }
  made.labels_ = std::move(labels);
  made.fields_ = std::move(fields);
  if (!made.is_everything()) {
    made.resource_ = resource;
    // The fields of a custom resource may change while its records live.
    made.tag_ = std::hash<std::string>{}("selectable " + resource->kind_and_form() + " " +
                                         join(resource->selectable_fields, " "));
  }
  return made;
}

bool Selection::matches(const storage::Record& record) const {
  if (is_everything()) return true;
  if (!name_.empty() && record.name() != name_) return false;
  const auto& parts = record.derived().get<k8s::StatusResult<json::Object>>(
      tag_, [&] { return selectable_parts(record, *resource_); });
  // It cannot be converted. Who asks for its text is told; nobody gets a list without it.
  if (!parts) return true;
  const k8s::View view(*parts);
  return (labels_.is_everything() || labels_.matches(view.map("metadata.labels"))) && fields_.matches(view);
}

}  // namespace fairway::apiserver::objects
