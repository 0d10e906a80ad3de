// SPDX-License-Identifier: Apache-2.0

// Services: the fields that belong to one type or another.
#include <array>
#include <string>

#include "apiserver/internal/validation/calls.h"
#include "apiserver/internal/validation/formats.h"

namespace fairway::apiserver::validation {
namespace {

bool is_headless(const Scope& spec) {
  const auto addresses = spec.texts("clusterIPs");
  return addresses.size() == 1 && addresses.front() == "None";
}

/// Checks the name to which a Service without addresses refers.
void check_external_name(const Scope& spec) {
  constexpr std::string_view why = "may not be set for ExternalName services";
  for (const std::string_view list : {"clusterIPs", "ipFamilies"}) {
    if (!spec.list(list).empty()) spec.forbidden(list, why);
  }
  if (spec.has("ipFamilyPolicy")) spec.forbidden("ipFamilyPolicy", why);
  std::string_view name = spec.text("externalName");
  if (name.ends_with('.')) name.remove_suffix(1);
  if (name.empty()) {
    spec.required("externalName");
  } else {
    spec.faults("externalName", name, k8s::check_dns_subdomain(name));
  }
}

void check_service_type(const Scope& spec) {
  const std::string_view type = spec.text("type");
  if (type == "ExternalName") {
    check_external_name(spec);
    return;
  }
  if (!is_headless(spec)) {
    if (spec.list("ports").empty()) spec.required("ports");
  } else if (type == "LoadBalancer" || type == "NodePort") {
    spec.invalid("clusterIPs[0]", "None", "may not be set to 'None' for " + std::string(type) + " services");
  }
  if (type != "ClusterIP") return;
  spec.each("ports", [](const Scope& port, std::size_t) {
    if (port.integer("nodePort").value_or(0) != 0)
      port.forbidden("nodePort", "may not be used when `type` is 'ClusterIP'");
  });
}

void check_balancer_fields(const Scope& spec) {
  constexpr std::string_view only = "may only be used when `type` is 'LoadBalancer'";
  const bool has_choice = spec.has("allocateLoadBalancerNodePorts"),
             has_class = spec.has("loadBalancerClass");
  if (spec.text("type") != "LoadBalancer") {
    if (has_choice) spec.forbidden("allocateLoadBalancerNodePorts", only);
    if (has_class) spec.forbidden("loadBalancerClass", only);
    return;
  }
  // Kubernetes leaves the spec out of this path.
  if (!has_choice) spec.other(spec.json(), Path()).required("allocateLoadBalancerNodePorts");
  const std::string_view name = spec.text("loadBalancerClass");
  if (has_class) spec.faults("loadBalancerClass", name, k8s::check_qualified_name(name));
}

void check_external_policy(const Scope& spec) {
  const std::string_view type = spec.text("type"), policy = spec.text("externalTrafficPolicy");
  const bool is_reached = type == "LoadBalancer" || type == "NodePort" ||
                          (type == "ClusterIP" && !spec.list("externalIPs").empty());
  if (!is_reached) {
    if (!policy.empty())
      spec.invalid("externalTrafficPolicy", json::Value(policy),
                   "may only be set for externally-accessible services");
  } else if (policy.empty()) {
    spec.required("externalTrafficPolicy");
  } else if (policy != "Cluster" && policy != "Local") {
    spec.not_supported("externalTrafficPolicy", json::Value(policy), {"Cluster", "Local"});
  }
}

void check_external_traffic(const Scope& spec) {
  check_external_policy(spec);
  const auto port = spec.integer("healthCheckNodePort").value_or(0);
  const bool is_checked =
      spec.text("type") == "LoadBalancer" && spec.text("externalTrafficPolicy") == "Local";
  if (!is_checked) {
    if (port != 0) {
      spec.invalid("healthCheckNodePort", json::Value(port),
                   "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'");
    }
  } else if (port == 0) {
    spec.required("healthCheckNodePort");
  } else {
    for (const std::string& fault : check_port_number(port))
      spec.invalid("healthCheckNodePort", json::Value(port), fault);
  }
}

void check_internal_traffic(const Scope& spec) {
  const std::string_view type = spec.text("type");
  const bool is_required = type == "NodePort" || type == "LoadBalancer" || type == "ClusterIP";
  if (is_required && !spec.has("internalTrafficPolicy")) spec.required("internalTrafficPolicy");
}

constexpr std::array calls{
    NamedCall{"service_type", &check_service_type},
    NamedCall{"balancer_fields", &check_balancer_fields},
    NamedCall{"external_traffic", &check_external_traffic},
    NamedCall{"internal_traffic", &check_internal_traffic},
};

}  // namespace

std::span<const NamedCall> service_type_calls() {
  return calls;
}

}  // namespace fairway::apiserver::validation
