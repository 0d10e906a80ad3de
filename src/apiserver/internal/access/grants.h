// SPDX-License-Identifier: Apache-2.0

// Nobody gives rights that they do not hold.
#pragma once

#include <string_view>

#include "apiserver/internal/access/policy.h"
#include "apiserver/internal/access/user.h"
#include "k8s/group_version.h"
#include "k8s/object.h"
#include "k8s/status.h"

namespace fairway::apiserver::access {

/// A role or binding that somebody writes.
struct GrantWrite {
  /// The kind that is written, for the reply: "clusterroles.rbac.authorization.k8s.io".
  k8s::GroupResource resource;
  /// The object as the writer sent it, with its defaults, and before the server completes it.
  const k8s::Dynamic& object;
  /// The stored object; null for a create.
  const k8s::Dynamic* old = nullptr;
  /// The name in the path of the request; a POST has none.
  std::string_view request_name = {};
};

/// Refuses a write of a role or binding that grants rights which `user` does not hold, unless the user may
/// `escalate` the role or `bind` it, or the write changes only the fields that the garbage collector changes.
/// Other kinds are not checked. Errors: 403; 404 if a binding names a role that does not exist; 500 if it
/// names a kind that is no role, as kube-apiserver replies before it validates.
/// Rules: k8s.io/kubernetes/pkg/registry/rbac.
k8s::StatusResult<void> check_grant(const Policy& policy, const User& user, const GrantWrite& write);

}  // namespace fairway::apiserver::access
