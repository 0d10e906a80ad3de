// SPDX-License-Identifier: Apache-2.0

// The IP families of Services, and what their addresses must be.
#pragma once

#include <vector>

#include "k8s/object.h"
#include "k8s/status.h"
#include "k8s/wire/field_error.h"

namespace fairway::apiserver::resources {

/// Returns whether a Service has an address, or None: all except those of the type ExternalName.
bool needs_cluster_ip(const k8s::Dynamic& service);
bool needs_node_port(const k8s::Dynamic& service);
/// Returns whether a Service is a LoadBalancer that keeps traffic on its node.
bool needs_health_check_port(const k8s::Dynamic& service);
bool same_cluster_ips(const k8s::Dynamic& a, const k8s::Dynamic& b);
/// Returns whether a Service had PreferDualStack before and has it now, with nothing else changed: it stays
/// as it is.
bool keeps_dual_stack(const k8s::Dynamic& service, const k8s::Dynamic* old);

/// Returns the problems of the addresses and families of a Service; `old` is null for a create.
/// Rules: ValidateServiceClusterIPsRelatedFields of k8s.io/kubernetes/pkg/apis/core/validation.
std::vector<k8s::FieldError> check_cluster_ips(const k8s::Dynamic& service, const k8s::Dynamic* old);

/// Sets `clusterIPs` from `clusterIP` for clients that know only that; `old` is null for a create.
void normalize_cluster_ips(k8s::Dynamic& service, const k8s::Dynamic* old);
/// Sets `ipFamilyPolicy` and `ipFamilies` on a server that has only IPv4. Errors (422): addresses and
/// families that do not fit together, or that the server does not have.
/// Rules: initIPFamilyFields of k8s.io/kubernetes/pkg/registry/core/service/storage/alloc.go.
k8s::StatusResult<void> set_families(k8s::Dynamic& service, const k8s::Dynamic* old);

/// Returns the Status 422 for a Service.
k8s::Status invalid_service(const k8s::Dynamic& service, const std::vector<k8s::FieldError>& errors);

}  // namespace fairway::apiserver::resources
