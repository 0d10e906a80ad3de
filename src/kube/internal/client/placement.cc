// SPDX-License-Identifier: Apache-2.0

#include "kube/internal/client/placement.h"

#include "base/text.h"

namespace fairway::kube {

Result<void> check_namespace(const k8s::ApiResource& resource, std::string_view namespace_name) {
  if (resource.is_namespaced() || namespace_name.empty()) return {};
  return fail(ErrorCode::invalid, resource.kind.to_string() +
                                      " is cluster-scoped: its objects are not in the namespace '" +
                                      printable(namespace_name, 80) + "'; leave it out");
}

Result<void> check_key(const k8s::ApiResource& resource, const k8s::Key& key) {
  if (!resource.is_namespaced()) return check_namespace(resource, key.namespace_name);
  if (!key.namespace_name.empty()) return {};
  return fail(ErrorCode::invalid, resource.kind.to_string() + " '" + printable(key.name, 260) +
                                      "' needs a namespace: the kind is namespaced");
}

Result<void> place(const k8s::ApiResource& resource, const std::string& namespace_name,
                   k8s::Dynamic& object) {
  if (object.api_version().empty() && object.kind().empty()) object.set_resource(resource.view());
  if (auto checked = k8s::check_kind(object, resource.view()); !checked) return checked;
  if (resource.is_namespaced() && object.namespace_name().empty() && !namespace_name.empty())
    object.set_namespace_name(namespace_name);
  return check_key(resource, object.key());
}

}  // namespace fairway::kube
