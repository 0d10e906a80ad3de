// SPDX-License-Identifier: Apache-2.0

// Kubernetes's priority order of the versions of a group.
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

namespace fairway::k8s {

/// Compares versions; the greater one is preferred: v2 > v1 > v2beta1 > v1beta2 > v3alpha1 > everything else
/// (in ascending byte order: "bar" is preferred to "foo"). "v1" and "v01" are equivalent, but not equal.
/// Priority says nothing about age: v2alpha1 is below v1beta1, whichever came first. As in apimachinery's
/// pkg/version.
std::weak_ordering compare_priority(std::string_view a, std::string_view b);

/// Sorts by priority, the preferred version first; equivalent ones keep their order.
void sort_by_priority(std::vector<std::string>& versions);

}  // namespace fairway::k8s
