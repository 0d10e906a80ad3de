// HorizontalPodAutoscalers in two versions.
#pragma once

#include <memory>

#include "apiserver/internal/resources/strategy.h"

namespace fairway::apiserver {

/// Stored as autoscaling/v2; what autoscaling/v1 has no fields for is in annotations there, in Kubernetes's
/// form. Rules: k8s.io/kubernetes/pkg/apis/autoscaling/v1/conversion.go.
std::shared_ptr<const Strategy> autoscaler_strategy();

}  // namespace fairway::apiserver
