// The rules of Pods and Nodes.
#pragma once

#include <memory>

#include "apiserver/resources/internal/strategy.h"

namespace fairway::apiserver {

/// A Pod that is created gets what a server's own admission gives it: the tolerations of nodes that are away
/// for five minutes (DefaultTolerationSeconds), its priority (Priority), its class of service. Its spec never
/// changes, but for images, tolerations and deadlines. Priority classes that are objects are not looked up:
/// the priority of their Pods is left to who sets it. Rules: pkg/registry/core/pod/strategy.go,
/// ValidatePodUpdate of pkg/apis/core/validation, and plugin/pkg/admission of k8s.io/kubernetes.
std::shared_ptr<const Strategy> pod_strategy();

/// A Node that is created is not ready before somebody says so (TaintNodesByCondition).
std::shared_ptr<const Strategy> node_strategy();

}  // namespace fairway::apiserver
