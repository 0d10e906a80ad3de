// BackendTLSPolicies: which apply to the backends of routes.
#pragma once

#include <deque>
#include <string_view>
#include <vector>

#include "gateway/internal/attachment/evaluate.h"
#include "gateway/internal/attachment/routes.h"

namespace fairway::gateway {

/// The reports on all policies. A policy's ancestors are the Gateways whose routes lead to its targets.
void report_policies(const Objects& objects, const std::deque<RouteState>& routes,
                     std::vector<Report>& reports);

/// The policy's caCertificateRefs. They are local: a namespace has no place in them.
std::vector<json::Object> local_references(const k8s::Dynamic& policy);

/// The policy by which connections to a port of a Service are made.
struct BackendPolicy {
  /// nullptr: none, they are made in the clear.
  const k8s::Dynamic* policy = nullptr;
  /// Whether it is accepted; otherwise no connection may be made at all.
  bool is_usable = false;
};

/// A policy for the port's name has precedence over one for the whole Service, the oldest over younger ones.
BackendPolicy policy_for(const Objects& objects, std::string_view namespace_name, std::string_view service,
                         std::string_view port_name);

}  // namespace fairway::gateway
