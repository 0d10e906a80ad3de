// SPDX-License-Identifier: Apache-2.0

// The rules of Deployments, ReplicaSets, DaemonSets, StatefulSets, ControllerRevisions, CronJobs,
// PodTemplates and ReplicationControllers. The layer `validation` has those of their fields.
#pragma once

#include <vector>

#include "k8s/object.h"
#include "k8s/wire/field_error.h"

namespace fairway::apiserver::resources {

/// Returns the problems of a workload. `old` is null for a create.
/// Rules: k8s.io/kubernetes/pkg/apis/apps/validation.
std::vector<k8s::FieldError> check_deployment(const k8s::Dynamic& object, const k8s::Dynamic* old);
std::vector<k8s::FieldError> check_replica_set(const k8s::Dynamic& object, const k8s::Dynamic* old);
std::vector<k8s::FieldError> check_daemon_set(const k8s::Dynamic& object, const k8s::Dynamic* old);
/// Also checks that an update changes only the fields that may change.
std::vector<k8s::FieldError> check_stateful_set(const k8s::Dynamic& object, const k8s::Dynamic* old);
std::vector<k8s::FieldError> check_controller_revision(const k8s::Dynamic& object, const k8s::Dynamic* old);
/// Also checks the length of the name, to which the time of each Job is added.
std::vector<k8s::FieldError> check_cron_job(const k8s::Dynamic& object, const k8s::Dynamic* old);
std::vector<k8s::FieldError> check_replication_controller(const k8s::Dynamic& object,
                                                          const k8s::Dynamic* old);
std::vector<k8s::FieldError> check_template_of_pods(const k8s::Dynamic& object, const k8s::Dynamic* old);

}  // namespace fairway::apiserver::resources
