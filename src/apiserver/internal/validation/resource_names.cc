// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/validation/resource_names.h"

#include <algorithm>
#include <array>
#include <string>

#include "apiserver/internal/kinds/quantity_text.h"

namespace fairway::apiserver::validation {
namespace {

constexpr std::string_view pages = "hugepages-";

constexpr std::array<std::string_view, 9> counted{
    "pods",       "resourcequotas",         "services",           "replicationcontrollers", "secrets",
    "configmaps", "persistentvolumeclaims", "services.nodeports", "services.loadbalancers"};
constexpr std::array<std::string_view, 11> measured{"cpu",
                                                    "memory",
                                                    "ephemeral-storage",
                                                    "requests.cpu",
                                                    "requests.memory",
                                                    "limits.cpu",
                                                    "limits.memory",
                                                    "requests.ephemeral-storage",
                                                    "storage",
                                                    "requests.storage",
                                                    "limits.ephemeral-storage"};

bool has(const auto& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// Returns whether a name is one of Kubernetes's own.
bool is_native(std::string_view name) {
  return name.find('/') == std::string_view::npos || name.find("kubernetes.io/") != std::string_view::npos;
}

/// Returns whether a name is that of a resource that someone has added, such as a graphics card.
bool is_extended(std::string_view name) {
  return !is_native(name) && !name.starts_with("requests.") &&
         k8s::check_qualified_name("requests." + std::string(name)).empty();
}

bool is_standard(std::string_view name) {
  return has(counted, name) || has(measured, name) || is_huge_page(name) ||
         name.starts_with("requests.hugepages-");
}

}  // namespace

k8s::Faults resource_faults(std::string_view name) {
  k8s::Faults faults = k8s::check_qualified_name(name);
  if (faults.empty() && name.find('/') == std::string_view::npos && !is_standard(name))
    faults.emplace_back("must be a standard resource type or fully qualified");
  return faults;
}

k8s::Faults container_resource_faults(std::string_view name) {
  k8s::Faults faults = resource_faults(name);
  if (name.find('/') == std::string_view::npos) {
    if (name != "cpu" && name != "memory" && name != "ephemeral-storage" && !is_huge_page(name))
      faults.emplace_back("must be a standard resource for containers");
  } else if (!is_native(name) && !is_extended(name)) {
    faults.emplace_back("doesn't follow extended resource name standard");
  }
  return faults;
}

bool is_quota_resource(std::string_view name) {
  return name != "storage" && is_standard(name);
}

bool is_huge_page(std::string_view name) {
  return name.starts_with(pages);
}

bool is_whole_pages(std::string_view name, const Quantity& quantity) {
  const std::string_view size_text = name.substr(pages.size());
  if (!kinds::canonical_quantity(size_text)) return false;
  const Quantity size = Quantity::parse(size_text);
  if (size.is_negative() || size.is_zero() || !size.is_whole()) return false;
  return quantity.rounded_up() % size.rounded_up() == 0;
}

bool is_overcommittable(std::string_view name) {
  return is_native(name) && !is_huge_page(name);
}

bool is_counted(std::string_view name) {
  return has(counted, name) || is_extended(name);
}

}  // namespace fairway::apiserver::validation
