// SPDX-License-Identifier: Apache-2.0

// Validation of what makes Pods: Deployments, Jobs and the like.
#pragma once

#include <string_view>
#include <vector>

#include "apiserver/internal/validation/scope.h"
#include "k8s/view.h"
#include "k8s/wire/field_error.h"

namespace fairway::apiserver::validation {

/// Returns the problems of the spec of a workload and of its template. `type`: "DeploymentSpec" or another
/// one of the table. `old` is null for a create. Objects have the form of `kinds::read_typed`.
/// Rules: pkg/apis/apps/validation, pkg/apis/batch/validation and pkg/apis/core/validation of
/// k8s.io/kubernetes.
std::vector<k8s::FieldError> check_workload(std::string_view type, const k8s::View& object,
                                            const k8s::View* old);
/// Returns the problems of a PodTemplate. `old` is null for a create.
std::vector<k8s::FieldError> check_template_object(const k8s::View& object, const k8s::View* old);

}  // namespace fairway::apiserver::validation
