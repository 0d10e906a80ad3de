// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/objects/selectable_fields.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/quoted_text.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::objects {
namespace {

/// A selectable field of built-in kinds that is not the member of its own name, or that typed objects have
/// when JSON has not: the functions ToSelectableFields in k8s.io/kubernetes/pkg/registry.
struct TypedField {
  std::string_view name;
  /// Path of the member with its value; empty: it never has one.
  std::string_view path;
  /// Text of the value that it has otherwise.
  std::string_view zero;
};
constexpr std::array typed_fields{
    TypedField{"spec.host", "spec.nodeName", ""},
    TypedField{"spec.hostNetwork", "spec.hostNetwork", "false"},
    TypedField{"spec.unschedulable", "spec.unschedulable", "false"},
    TypedField{"status.podIPs", "", ""},
    TypedField{"status.replicas", "status.replicas", "0"},
    TypedField{"status.successful", "status.succeeded", "0"},
};

/// Returns whether a kind has fields of its own: it has a conversion for them in kube-apiserver then, with
/// other words than that of all kinds.
bool has_own_fields(const resources::ServedResource& resource) {
  return resource.is_custom || !resource.selectable_fields.empty();
}

std::string refusal(const resources::ServedResource& resource, std::string_view field) {
  if (!has_own_fields(resource)) {
    return quote(field) + " is not a known field selector: only \"metadata.name\", \"metadata.namespace\"";
  }
  if (!resource.is_custom && resource.kind.kind == "Job") {
    return "field label " + quote(field) + " not supported for Job";
  }
  return "field label not supported: " + std::string(field);
}

}  // namespace

k8s::StatusResult<void> check_selectable(const resources::ServedResource& resource, std::string_view field) {
  if (field == "metadata.name") return {};
  if (field == "metadata.namespace" && (resource.is_namespaced() || !has_own_fields(resource))) return {};
  if (std::ranges::find(resource.selectable_fields, field) != resource.selectable_fields.end()) return {};
  return std::unexpected(k8s::answer::bad_request(refusal(resource, field)));
}

void copy_selectable(const resources::ServedResource& resource, const k8s::Dynamic& object,
                     k8s::Dynamic& parts) {
  for (const std::string& name : resource.selectable_fields) {
    const auto* typed = resource.is_custom
                            ? typed_fields.end()
                            : std::ranges::find(typed_fields, std::string_view(name), &TypedField::name);
    const bool is_typed = typed != typed_fields.end();
    const std::string_view path = is_typed ? typed->path : std::string_view(name);
    const json::Value* value = path.empty() ? nullptr : object.find(path);
    if (value != nullptr && !value->is_structured() && !value->is_null()) {
      parts.set(name, json::Value(*value));
    } else if (is_typed) {
      parts.set(name, typed->zero);
    }
  }
}

}  // namespace fairway::apiserver::objects
