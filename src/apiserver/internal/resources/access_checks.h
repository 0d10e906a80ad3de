// The rules of roles and bindings.
#pragma once

#include <vector>

#include "k8s/object.h"
#include "k8s/wire/field_error.h"

namespace fairway::apiserver {

/// Rules: k8s.io/kubernetes/pkg/apis/rbac/validation. What a binding grants is fixed: who may change its
/// subjects is not asked what its role grants.
std::vector<k8s::FieldError> check_role(const k8s::Dynamic& role, const k8s::Dynamic* old);
std::vector<k8s::FieldError> check_cluster_role(const k8s::Dynamic& role, const k8s::Dynamic* old);
std::vector<k8s::FieldError> check_role_binding(const k8s::Dynamic& binding, const k8s::Dynamic* old);
std::vector<k8s::FieldError> check_cluster_role_binding(const k8s::Dynamic& binding, const k8s::Dynamic* old);

}  // namespace fairway::apiserver
