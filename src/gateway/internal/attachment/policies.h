// SPDX-License-Identifier: Apache-2.0

// BackendTLSPolicies: which apply to the backends of routes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/json.h"
#include "gateway/internal/objects/objects.h"
#include "k8s/conditions.h"
#include "k8s/object.h"

namespace fairway::gateway {

/// The target of a policy: namespace, Service, and the name of the port or nothing.
using PolicyTarget = std::tuple<std::string, std::string, std::string>;

/// Returns the Services that a policy is for, and their ports.
std::vector<PolicyTarget> targets_of(const k8s::Dynamic& policy);

/// The findings on a policy, whatever other policies there are.
struct PolicyFacts {
  /// References that lead to nothing.
  std::optional<k8s::ConditionError> unresolved = {};
  /// The reason that it cannot be applied.
  std::optional<k8s::ConditionError> refused = {};
};
PolicyFacts read_policy(const Objects& objects, const k8s::Dynamic& policy);

/// Returns the policy's caCertificateRefs. They are local: a namespace has no place in them.
std::vector<json::Object> local_references(const k8s::Dynamic& policy);

/// The policy by which connections to a port of a Service are made.
struct BackendPolicy {
  /// The policy; nullptr: there is none, and connections are made without TLS.
  const k8s::Dynamic* policy = nullptr;
  /// True if it is accepted; otherwise no connection may be made at all.
  bool is_usable = false;
};

/// Returns the policy for a port of a Service. A policy for the port's name has precedence over one for the
/// whole Service, and an older one over a younger one.
BackendPolicy policy_for(const Objects& objects, std::string_view namespace_name, std::string_view service,
                         std::string_view port_name);

}  // namespace fairway::gateway
