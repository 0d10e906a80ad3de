// SPDX-License-Identifier: Apache-2.0

// The rights to parts of ResourceClaims: their binding, the devices of a driver, access as administrator.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/internal/access/policy.h"
#include "apiserver/internal/access/user.h"
#include "k8s/object.h"
#include "k8s/wire/field_error.h"

namespace fairway::apiserver::access {

/// A write of the status of a ResourceClaim.
struct ClaimStatusWrite {
  const User& user;
  /// The verb of the request: "update" or "patch".
  std::string verb;
  const k8s::Dynamic& object;
  const k8s::Dynamic& old;
};

/// Returns the parts of a status that the user may not change. Its allocation and what it is reserved for
/// take the verb on `resourceclaims/binding` in all namespaces. Devices of a driver take the verb
/// "arbitrary-node:VERB" on `resourceclaims/driver` with the driver's name, or "associated-node:VERB" of a
/// ServiceAccount whose token is bound to the node of the allocation.
/// Rules: pkg/registry/resource/utils.go of k8s.io/kubernetes.
std::vector<k8s::FieldError> claim_status_errors(const Authorizer& authorize, const ClaimStatusWrite& write);

/// Returns the path of the first request of a claim, or result of its allocation, that is for access as
/// administrator; empty: there is none. `old` is null for a create.
std::string admin_access_path(const k8s::Dynamic& claim, const k8s::Dynamic* old);

/// The label of a namespace whose claims may ask for access as administrator, with the value "true".
inline constexpr std::string_view admin_access_label = "resource.kubernetes.io/admin-access";

}  // namespace fairway::apiserver::access
