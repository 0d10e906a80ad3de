// SPDX-License-Identifier: Apache-2.0

// The rules of Deployments, ReplicaSets, DaemonSets, StatefulSets and ControllerRevisions.
#pragma once

#include <vector>

#include "k8s/object.h"
#include "k8s/wire/field_error.h"

namespace fairway::apiserver::resources {

/// Returns the problems of a workload: it must have a selector that is not empty and selects the labels of
/// its template. The rest of a template is not validated.
/// Rules: k8s.io/kubernetes/pkg/apis/apps/validation.
std::vector<k8s::FieldError> check_deployment(const k8s::Dynamic& object, const k8s::Dynamic* old);
std::vector<k8s::FieldError> check_daemon_set(const k8s::Dynamic& object, const k8s::Dynamic* old);
/// Also checks that an update changes only the fields that may change.
std::vector<k8s::FieldError> check_stateful_set(const k8s::Dynamic& object, const k8s::Dynamic* old);
std::vector<k8s::FieldError> check_controller_revision(const k8s::Dynamic& object, const k8s::Dynamic* old);

}  // namespace fairway::apiserver::resources
