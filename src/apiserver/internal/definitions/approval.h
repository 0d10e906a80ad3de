// SPDX-License-Identifier: Apache-2.0

// Definitions in groups of Kubernetes's own, which need an approval, or have to say that they have none.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/json.h"
#include "k8s/custom_resource_definition.h"

namespace fairway::apiserver::definitions {

inline constexpr std::string_view approval_annotation = "api-approved.kubernetes.io";

enum class Approval {
  not_needed,
  missing,
  invalid,
  bypassed,  ///< the annotation says that there is no approval
  approved,
};

Approval approval_of(const k8s::CustomResourceDefinition& definition);

/// Returns the message for the state of a definition that needs an approval.
std::string approval_message(const k8s::CustomResourceDefinition& definition);

/// Sets the condition KubernetesAPIApprovalPolicyConformant of a definition that needs an approval. Returns
/// whether the status has changed.
/// Rules: k8s.io/apiextensions-apiserver/pkg/controller/apiapproval.
bool set_approval_condition(json::Object& definition, WallTime now);

}  // namespace fairway::apiserver::definitions
