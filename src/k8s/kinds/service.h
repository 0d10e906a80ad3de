// SPDX-License-Identifier: Apache-2.0

// Services.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "k8s/internal/kinds/openapi_core.h"
#include "k8s/kinds/checked.h"

namespace fairway::k8s {

/// An entry of `spec.ports`.
class ServicePort : public Checked<View, openapi::service_port> {
 public:
  using Checked::Checked;
  std::string_view name() const { return text("name"); }
  std::string_view protocol() const { return text("protocol", "TCP"); }
  std::string_view app_protocol() const { return text("appProtocol"); }
  std::int64_t port() const { return integer("port"); }
  /// Returns the port on nodes; 0: none.
  std::int64_t node_port() const { return integer("nodePort"); }
  /// The port of the pods: a number, or the name of a container's port. nullptr: the same as `port`.
  const json::Value* target_port() const { return find("targetPort"); }
};

/// An address of a load balancer: `status.loadBalancer.ingress`.
class LoadBalancerIngress : public Checked<View, openapi::load_balancer_ingress> {
 public:
  using Checked::Checked;
  std::string_view ip() const { return text("ip"); }
  std::string_view hostname() const { return text("hostname"); }
};

class Service : public Checked<Dynamic, openapi::service> {
 public:
  static constexpr Resource resource{"", "v1", "Service", "services"};
  using Checked::Checked;

  /// "ClusterIP", "NodePort", "LoadBalancer" or "ExternalName".
  std::string_view type() const { return text("spec.type", "ClusterIP"); }
  void set_type(std::string_view type) { set("spec.type", type); }
  StringMap selector() const { return map("spec.selector"); }
  void set_selector(std::string_view key, std::string_view value) { set_entry("spec.selector", key, value); }
  std::vector<ServicePort> ports() const { return items<ServicePort>("spec.ports"); }
  /// Adds a port. `target_port` is a number or the name of a container's port; null: the same as `port`.
  void add_port(std::string_view name, std::int64_t port, json::Value target_port = nullptr,
                std::string_view protocol = "TCP");
  /// "None" for a headless Service; empty if there is none.
  std::string_view cluster_ip() const { return text("spec.clusterIP"); }
  /// Returns one address for each family, `cluster_ip()` first.
  std::vector<std::string_view> cluster_ips() const { return texts("spec.clusterIPs"); }
  bool is_headless() const { return cluster_ip() == "None"; }
  std::string_view external_name() const { return text("spec.externalName"); }
  std::string_view external_traffic_policy() const { return text("spec.externalTrafficPolicy", "Cluster"); }
  std::string_view internal_traffic_policy() const { return text("spec.internalTrafficPolicy", "Cluster"); }
  std::string_view load_balancer_class() const { return text("spec.loadBalancerClass"); }
  std::vector<LoadBalancerIngress> load_balancer_ingress() const {
    return items<LoadBalancerIngress>("status.loadBalancer.ingress");
  }
};

}  // namespace fairway::k8s
