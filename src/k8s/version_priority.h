// The order in which Kubernetes prefers the versions of a group.
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

namespace fairway::k8s {

/// Greater is preferred: v2 > v1 > v2beta1 > v1beta2 > v3alpha1 > everything that is no Kubernetes version
/// (which is in ascending byte order: "bar" is preferred to "foo"). Equivalent, not equal: "v1" and "v01"
/// are. It is a priority and no history: v2alpha1 is below v1beta1, whichever came first. facts: kubernetes,
/// Version priority.
std::weak_ordering compare_priority(std::string_view a, std::string_view b);

/// Sorts by priority, the preferred version first; equivalent ones stay in their order.
void sort_by_priority(std::vector<std::string>& versions);

}  // namespace fairway::k8s
