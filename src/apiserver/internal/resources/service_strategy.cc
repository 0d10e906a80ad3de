// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/resources/service_strategy.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "apiserver/internal/resources/service_families.h"
#include "apiserver/internal/resources/write_scope.h"
#include "apiserver/internal/validation/objects.h"
#include "k8s/equality.h"

namespace fairway::apiserver::resources {
namespace {

using k8s::Dynamic;
using k8s::FieldError;

constexpr std::string_view ips_path = "spec.clusterIPs", families_path = "spec.ipFamilies",
                           policy_path = "spec.ipFamilyPolicy", changed = "may not change once set";

json::Value value_at(const Dynamic& object, std::string_view path) {
  const json::Value* value = object.find(path);
  return value != nullptr ? *value : json::Value();
}

std::string_view kind_of_service(const Dynamic& service) {
  return service.text("spec.type");
}
bool is_balanced(const Dynamic& service) {
  return kind_of_service(service) == "LoadBalancer";
}
bool has_node_ports(const Dynamic& service) {
  return kind_of_service(service) == "NodePort" || is_balanced(service);
}
bool has_health_check(const Dynamic& service) {
  return is_balanced(service) && service.text("spec.externalTrafficPolicy") == "Local";
}
bool is_external_name(const Dynamic& service) {
  return kind_of_service(service) == "ExternalName";
}
bool is_headless(const Dynamic& service) {
  const auto ips = service.texts(ips_path);
  return ips.size() == 1 && ips.front() == "None";
}
bool is_reached_from_outside(const Dynamic& service) {
  return has_node_ports(service) ||
         (kind_of_service(service) == "ClusterIP" && !service.texts("spec.externalIPs").empty());
}

std::set<std::int64_t> node_ports_of(const Dynamic& service) {
  std::set<std::int64_t> ports;
  for (const k8s::View& port : service.items("spec.ports")) {
    if (const auto number = port.integer("nodePort"); number != 0) ports.insert(number);
  }
  return ports;
}

/// Removes an unchanged field that means nothing for the type that the Service has now.
void drop_unchanged(Dynamic& service, const Dynamic& old, std::string_view path) {
  if (k8s::equal_with_null_as_absent(service, old, path)) service.erase(path);
}

void drop_what_belongs_to_another_type(Dynamic& service, const Dynamic& old) {
  if (!is_external_name(old) && is_external_name(service)) {
    if (k8s::equal_with_null_as_absent(service, old, "spec.clusterIP") &&
        k8s::equal_with_null_as_absent(service, old, ips_path)) {
      service.erase("spec.clusterIP");
      service.erase(ips_path);
    }
    drop_unchanged(service, old, families_path);
    drop_unchanged(service, old, policy_path);
  }
  if (has_node_ports(old) && !has_node_ports(service) &&
      std::ranges::includes(node_ports_of(old), node_ports_of(service))) {
    for (k8s::Editor& port : service.edit_items("spec.ports")) port.erase("nodePort");
  }
  if (has_health_check(old) && !has_health_check(service)) {
    drop_unchanged(service, old, "spec.healthCheckNodePort");
  }
  if (is_balanced(old) && !is_balanced(service)) {
    drop_unchanged(service, old, "spec.allocateLoadBalancerNodePorts");
    drop_unchanged(service, old, "spec.loadBalancerClass");
  }
  if (is_reached_from_outside(old) && !is_reached_from_outside(service)) {
    drop_unchanged(service, old, "spec.externalTrafficPolicy");
  }
  if (!is_balanced(service)) service.set("status.loadBalancer", json::Value(json::Object{}));
}

void check_same_addresses(std::vector<FieldError>& errors, const Dynamic& service, const Dynamic& old) {
  if (is_headless(service) && is_headless(old)) return;
  const auto before = old.texts(ips_path), now = service.texts(ips_path);
  const json::Value all = value_at(service, ips_path);
  const std::string first = std::string(ips_path) + "[0]";
  if (before.size() == now.size()) {
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (before[i] == now[i]) continue;
      errors.push_back(
          FieldError::invalid(std::string(ips_path) + "[" + std::to_string(i) + "]", all, changed));
    }
    return;
  }
  if (now.empty()) {
    errors.push_back(FieldError::invalid(first, all, "primary clusterIP can not be unset"));
  } else if (!before.empty() && before.front() != now.front()) {
    errors.push_back(FieldError::invalid(first, all, changed));
  }
  if (before.size() > now.size() && now.size() == 1 && service.text(policy_path) != "SingleStack") {
    errors.push_back(
        FieldError::invalid(policy_path, value_at(service, policy_path),
                            "must be set to 'SingleStack' when releasing the secondary clusterIP"));
  }
}

void check_same_families(std::vector<FieldError>& errors, const Dynamic& service, const Dynamic& old) {
  if (is_headless(service) || is_headless(old)) return;
  const auto before = old.texts(families_path), now = service.texts(families_path);
  const std::string first = std::string(families_path) + "[0]";
  const json::Value all = value_at(service, families_path);
  if (before.size() == now.size()) {
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (before[i] != now[i]) errors.push_back(FieldError::invalid(first, all, changed));
    }
    return;
  }
  const bool is_released = before.size() > now.size();
  if (is_released && service.texts(ips_path).empty())
    errors.push_back(FieldError::invalid(first, all, "primary ipFamily can not be unset"));
  if (!before.empty() && !now.empty() && before.front() != now.front())
    errors.push_back(FieldError::invalid(first, value_at(service, ips_path), changed));
  if (is_released && now.size() == 1 && service.text(policy_path) != "SingleStack") {
    errors.push_back(
        FieldError::invalid(policy_path, value_at(service, policy_path),
                            "must be set to 'SingleStack' when releasing the secondary ipFamily"));
  }
}

/// Checks the fields that a balancer keeps as long as it is one.
void check_same_balancer(std::vector<FieldError>& errors, const Dynamic& service, const Dynamic& old) {
  constexpr std::string_view class_path = "spec.loadBalancerClass", health_path = "spec.healthCheckNodePort";
  if (is_balanced(old) && is_balanced(service) && !k8s::equal_with_null_as_absent(service, old, class_path))
    errors.push_back(FieldError::invalid(class_path, value_at(service, class_path), changed));
  if (has_health_check(old) && has_health_check(service) &&
      service.integer(health_path) != old.integer(health_path))
    errors.push_back(FieldError::forbidden(health_path, "field is immutable"));
}

/// Removes the traffic policy from a Service without traffic: Kubernetes does not show it. One that is none
/// stays, and is refused.
void drop_traffic_policy(Dynamic& service) {
  constexpr std::string_view path = "spec.internalTrafficPolicy";
  const std::string_view policy = service.text(path);
  if (is_external_name(service) && (policy == "Cluster" || policy == "Local")) service.erase(path);
}

/// Returns warnings of fields that have no effect, or soon none.
/// Rules: GetWarningsForService of k8s.io/kubernetes/pkg/api/service, without those of addresses.
std::vector<std::string> service_warnings(const Dynamic& service) {
  std::vector<std::string> warnings;
  const bool is_headless =
      service.text("spec.type") == "ClusterIP" && service.text("spec.clusterIP") == "None";
  const bool has_external_ips = !service.texts("spec.externalIPs").empty();
  if (service.map("metadata.annotations").contains("service.kubernetes.io/topology-aware-hints")) {
    warnings.emplace_back(
        "annotation service.kubernetes.io/topology-aware-hints is deprecated, please use "
        "service.kubernetes.io/topology-mode instead");
  }
  if (is_headless) {
    if (!service.text("spec.loadBalancerIP").empty())
      warnings.emplace_back("spec.loadBalancerIP is ignored for headless services");
    if (has_external_ips) warnings.emplace_back("spec.externalIPs is ignored for headless services");
    if (service.text("spec.sessionAffinity") != "None")
      warnings.emplace_back("spec.SessionAffinity is ignored for headless services");
  }
  const bool by_name = is_external_name(service);
  if (has_external_ips && !is_headless && !by_name)
    warnings.emplace_back("spec.externalIPs is deprecated and may no longer be implemented in some clusters");
  if (has_external_ips && by_name)
    warnings.emplace_back("spec.externalIPs is ignored when spec.type is \"ExternalName\"");
  if (!by_name && !service.text("spec.externalName").empty())
    warnings.emplace_back("spec.externalName is ignored when spec.type is not \"ExternalName\"");
  if (service.text("spec.trafficDistribution") == "PreferClose")
    warnings.emplace_back("spec.trafficDistribution: \"PreferClose\" is deprecated; use \"PreferSameZone\"");
  return warnings;
}

class ServiceStrategy final : public Strategy {
 public:
  k8s::StatusResult<Allocation> allocate(Dynamic& service, const Dynamic* old,
                                         const WriteScope& scope) const override {
    auto held = scope.services.assign(service, old, scope.random, scope.dry_run);
    if (!held) return std::unexpected(held.error());
    return std::make_shared<const ServiceAddresses::Held>(*std::move(held));
  }
  void prepare_for_create(Dynamic& service) const override {
    service.set("status", json::Value{{"loadBalancer", json::Object{}}});
    drop_traffic_policy(service);
  }
  void prepare_for_update(Dynamic& service, const Dynamic& old, Part part) const override {
    if (part != Part::object) return;
    drop_what_belongs_to_another_type(service, old);
    drop_traffic_policy(service);
  }
  std::vector<FieldError> validate(const Dynamic& service, const Dynamic* old, Part part) const override {
    std::vector<FieldError> errors;
    if (part != Part::object) return errors;
    if (old != nullptr && !is_external_name(service) && !is_external_name(*old)) {
      check_same_addresses(errors, service, *old);
      check_same_families(errors, service, *old);
    }
    if (old != nullptr) check_same_balancer(errors, service, *old);
    for (FieldError& error : validation::check_object("Service", service, old))
      errors.push_back(std::move(error));
    for (FieldError& error : check_cluster_ips(service, old)) errors.push_back(std::move(error));
    return errors;
  }
  std::vector<std::string> warnings(const Dynamic& service, const Dynamic*) const override {
    return service_warnings(service);
  }
};

}  // namespace

std::shared_ptr<const Strategy> service_strategy() {
  return std::make_shared<ServiceStrategy>();
}

}  // namespace fairway::apiserver::resources
