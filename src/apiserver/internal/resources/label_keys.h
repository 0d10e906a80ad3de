// SPDX-License-Identifier: Apache-2.0

// Selectors that depend on the labels of a Pod itself.
#pragma once

#include "k8s/object.h"

namespace fairway::apiserver::resources {

/// Adds the Pod's own labels to the selectors of its affinities and spread constraints that ask for them
/// (`matchLabelKeys`, `mismatchLabelKeys`).
/// Rules: mutatePodAffinity, mutateTopologySpreadConstraints of k8s.io/kubernetes/pkg/registry/core/pod.
void add_label_keys(k8s::Dynamic& pod);

}  // namespace fairway::apiserver::resources
