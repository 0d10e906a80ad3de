// SPDX-License-Identifier: Apache-2.0

// HorizontalPodAutoscalers in two versions.
#pragma once

#include <memory>

#include "apiserver/internal/resources/strategy.h"

namespace fairway::apiserver::resources {

/// Returns the rules of HorizontalPodAutoscalers. They are stored as autoscaling/v2. Members that
/// autoscaling/v1 has no fields for are in annotations there, in Kubernetes's form.
/// Rules: k8s.io/kubernetes/pkg/apis/autoscaling/v1/conversion.go.
std::shared_ptr<const Strategy> autoscaler_strategy();

}  // namespace fairway::apiserver::resources
