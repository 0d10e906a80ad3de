// SPDX-License-Identifier: Apache-2.0

#include "k8s/api_resource.h"

namespace fairway::k8s {

Dynamic make(const ApiResource& resource, std::string_view name, std::string_view namespace_name) {
  Dynamic object;
  object.set_resource(resource.view());
  object.set_name(name);
  if (!namespace_name.empty()) object.set_namespace_name(namespace_name);
  return object;
}

}  // namespace fairway::k8s
