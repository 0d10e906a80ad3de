// The rules of Pods and Nodes.
#pragma once

#include <memory>

#include "apiserver/internal/resources/strategy.h"

namespace fairway::apiserver {

/// A Pod that is created gets the tolerations of nodes that are away for five minutes
/// (DefaultTolerationSeconds) and its class of service; what it gets by what it names is in
/// resources/internal/pod_classes.h. Its spec never changes, but for images, tolerations and deadlines.
/// Rules: pkg/registry/core/pod/strategy.go, ValidatePodUpdate of pkg/apis/core/validation, and
/// plugin/pkg/admission of k8s.io/kubernetes.
std::shared_ptr<const Strategy> pod_strategy();

/// A Node that is created is not ready before somebody says so (TaintNodesByCondition).
std::shared_ptr<const Strategy> node_strategy();

}  // namespace fairway::apiserver
