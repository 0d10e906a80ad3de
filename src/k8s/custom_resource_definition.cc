#include "k8s/custom_resource_definition.h"

#include <algorithm>

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

bool CustomResourceDefinition::condition_is_true(std::string_view type) const {
  return std::ranges::any_of(items("status.conditions"), [&](const View& condition) {
    return condition.text("type") == type && condition.text("status") == "True";
  });
}

}  // namespace fairway::k8s
