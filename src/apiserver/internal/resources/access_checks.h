// SPDX-License-Identifier: Apache-2.0

// The rules of roles and bindings.
#pragma once

#include <vector>

#include "k8s/object.h"
#include "k8s/wire/field_error.h"

namespace fairway::apiserver::resources {

/// Returns the problems of a role or binding. The role of a binding is fixed, so a user who may change its
/// subjects need not hold the rights that it grants.
/// Rules: k8s.io/kubernetes/pkg/apis/rbac/validation.
std::vector<k8s::FieldError> check_role(const k8s::Dynamic& role, const k8s::Dynamic* old);
std::vector<k8s::FieldError> check_cluster_role(const k8s::Dynamic& role, const k8s::Dynamic* old);
std::vector<k8s::FieldError> check_role_binding(const k8s::Dynamic& binding, const k8s::Dynamic* old);
std::vector<k8s::FieldError> check_cluster_role_binding(const k8s::Dynamic& binding, const k8s::Dynamic* old);

}  // namespace fairway::apiserver::resources
