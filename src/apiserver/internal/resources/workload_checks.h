// The rules of Deployments, ReplicaSets, DaemonSets, StatefulSets and ControllerRevisions.
#pragma once

#include <vector>

#include "k8s/object.h"
#include "k8s/wire/field_error.h"

namespace fairway::apiserver {

/// A selector that is there and not empty, and the labels of the template that it selects. Rules:
/// k8s.io/kubernetes/pkg/apis/apps/validation; the rest of a template is not validated.
std::vector<k8s::FieldError> check_deployment(const k8s::Dynamic& object, const k8s::Dynamic* old);
std::vector<k8s::FieldError> check_daemon_set(const k8s::Dynamic& object, const k8s::Dynamic* old);
/// The same, and that an update changes nothing but what it may.
std::vector<k8s::FieldError> check_stateful_set(const k8s::Dynamic& object, const k8s::Dynamic* old);
std::vector<k8s::FieldError> check_controller_revision(const k8s::Dynamic& object, const k8s::Dynamic* old);

}  // namespace fairway::apiserver
