// SPDX-License-Identifier: Apache-2.0

// Names of signers of certificates: "example.com/name".
#pragma once

#include <string_view>

#include "apiserver/internal/validation/scope.h"
#include "k8s/names.h"

namespace fairway::apiserver::validation {

/// Checks the name of a signer that is a member.
void check_signer_name(const Scope& scope, std::string_view member);
/// Returns whether a signer is one of Kubernetes's own.
bool is_kubernetes_signer(std::string_view name);
/// Checks the name of a ClusterTrustBundle, which may begin with that of a signer.
k8s::Faults check_trust_bundle_name(std::string_view name);

}  // namespace fairway::apiserver::validation
