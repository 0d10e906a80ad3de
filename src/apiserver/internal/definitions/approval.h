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
  bypassed,  ///< it says that there is none
  approved,
};

Approval approval_of(const k8s::CustomResourceDefinition& definition);

/// What the state of a definition that needs an approval means.
std::string approval_message(const k8s::CustomResourceDefinition& definition);

/// Sets the condition KubernetesAPIApprovalPolicyConformant of a definition that needs an approval. True if
/// the status has changed. Rules: k8s.io/apiextensions-apiserver/pkg/controller/apiapproval.
bool set_approval_condition(json::Object& definition, WallTime now);

}  // namespace fairway::apiserver::definitions
