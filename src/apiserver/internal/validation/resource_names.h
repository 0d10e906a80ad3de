// SPDX-License-Identifier: Apache-2.0

// Names of resources: which there are, and what is special about them.
#pragma once

#include <string_view>

#include "apiserver/internal/validation/quantity.h"
#include "k8s/names.h"

namespace fairway::apiserver::validation {

/// Checks the name of any resource: one of Kubernetes's, or one with a domain.
k8s::Faults resource_faults(std::string_view name);
/// Checks the name of a resource of containers.
k8s::Faults container_resource_faults(std::string_view name);
/// Returns whether quotas know how to count a resource.
bool is_quota_resource(std::string_view name);
/// Returns whether a resource is memory in pages of a size: "hugepages-2Mi".
bool is_huge_page(std::string_view name);
/// Returns whether a quantity of such memory is a multiple of the size.
bool is_whole_pages(std::string_view name, const Quantity& quantity);
/// Returns whether more of a resource may be promised than there is.
bool is_overcommittable(std::string_view name);
/// Returns whether only whole numbers of a resource exist.
bool is_counted(std::string_view name);

}  // namespace fairway::apiserver::validation
