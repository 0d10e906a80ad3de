// SPDX-License-Identifier: Apache-2.0

// HorizontalPodAutoscalers of one version in the form of the other.
#pragma once

#include "k8s/object.h"

namespace fairway::apiserver::resources {

/// Converts the members of an autoscaler to those of autoscaling/v1, except for `apiVersion`. Members that v1
/// has no fields for become annotations, in Kubernetes's form. Rules:
/// k8s.io/kubernetes/pkg/apis/autoscaling/v1/conversion.go.
void convert_autoscaler_to_v1(k8s::Dynamic& object);
/// Converts the members of an autoscaler of autoscaling/v1 to those of v2, except for `apiVersion`.
void convert_autoscaler_to_v2(k8s::Dynamic& object);

}  // namespace fairway::apiserver::resources
