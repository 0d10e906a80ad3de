// SPDX-License-Identifier: Apache-2.0

// The rules of Pods and Nodes.
#pragma once

#include <memory>

#include "apiserver/internal/resources/pod_classes.h"
#include "apiserver/internal/resources/strategy.h"

namespace fairway::apiserver::resources {

/// Returns the rules of Pods. A new Pod gets the tolerations of nodes that are away for five minutes
/// (DefaultTolerationSeconds) and its class of service. The fields that follow from its classes are set in
/// resources/internal/pod_classes.h. Its spec never changes, except for images, tolerations and deadlines.
/// Rules: pkg/registry/core/pod/strategy.go, ValidatePodUpdate of pkg/apis/core/validation, and
/// plugin/pkg/admission of k8s.io/kubernetes.
std::shared_ptr<const Strategy> pod_strategy(const PodPlugins& plugins = {});

/// Returns the rules of Nodes. A new Node is tainted as not ready until that taint is removed
/// (TaintNodesByCondition).
std::shared_ptr<const Strategy> node_strategy();

}  // namespace fairway::apiserver::resources
