// SPDX-License-Identifier: Apache-2.0

// The fields of ObjectMeta (meta/v1).
#pragma once

#include <array>
#include <string_view>

namespace fairway::k8s {

/// Names of all fields, in the order in which Kubernetes writes them.
inline constexpr std::array<std::string_view, 15> object_meta_fields{"name",
                                                                     "generateName",
                                                                     "namespace",
                                                                     "selfLink",
                                                                     "uid",
                                                                     "resourceVersion",
                                                                     "generation",
                                                                     "creationTimestamp",
                                                                     "deletionTimestamp",
                                                                     "deletionGracePeriodSeconds",
                                                                     "labels",
                                                                     "annotations",
                                                                     "ownerReferences",
                                                                     "finalizers",
                                                                     "managedFields"};

}  // namespace fairway::k8s
