// SPDX-License-Identifier: Apache-2.0

#include "k8s/custom_resource_definition.h"

#include "k8s/version_priority.h"

namespace fairway::k8s {

std::string_view CustomResourceDefinition::storage_version() const {
  for (const CustomResourceVersion& version : versions()) {
    if (version.storage()) return version.name();
  }
  return {};
}

std::vector<std::string> CustomResourceDefinition::versions_by_priority() const {
  std::vector<std::string> names;
  for (const CustomResourceVersion& version : versions()) names.emplace_back(version.name());
  sort_by_priority(names);
  return names;
}

}  // namespace fairway::k8s
