// SPDX-License-Identifier: Apache-2.0

// Bounds that a LimitRange sets for the objects of its namespace.
#pragma once

#include <string>
#include <vector>

#include "apiserver/internal/resources/strategy.h"
#include "k8s/group_version.h"
#include "k8s/view.h"

namespace fairway::apiserver::quota {

/// Returns whether LimitRanges bound a write of a part of an object of `resource`: new Pods, Pods that are
/// resized, and PersistentVolumeClaims.
bool is_bounded(const k8s::GroupResource& resource, bool is_new, resources::Part part);

/// Returns the `min`, `max` and `maxLimitRequestRatio` of a LimitRange that a Pod or PersistentVolumeClaim
/// does not keep, as Kubernetes tells them: "minimum cpu usage per Container is 100m, but request is 50m".
/// A bound that concerns several containers in the same way is told once.
/// Rules: plugin/pkg/admission/limitranger of k8s.io/kubernetes.
std::vector<std::string> broken_limits(const k8s::View& range, const k8s::View& object,
                                       const k8s::GroupResource& resource);

}  // namespace fairway::apiserver::quota
