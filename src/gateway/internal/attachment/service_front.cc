// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/attachment/service_front.h"

#include <set>
#include <string>
#include <string_view>

#include "gateway/internal/attachment/assigned_addresses.h"
#include "gateway/internal/attachment/parameters.h"

namespace fairway::gateway {

namespace {

using k8s::Dynamic;

/// Reads the addresses and ports that a Service gives to Gateways. The addresses are those of its load
/// balancer, or else its cluster IPs. Errors: there is no such Service, or it has no IPv4 address yet.
Result<ServiceFront> front_of(const Objects& objects, const k8s::Key& key, ServiceAddresses addresses) {
  const Dynamic* service = objects.find("", "Service", key.namespace_name, key.name);
  const std::string name = "Service " + key.to_string();
  if (service == nullptr) return fail(ErrorCode::not_found, name + " of the parameters does not exist");
  ServiceFront front{.service = key};
  const auto add = [&](std::string_view type, std::string_view value) {
    // The listeners behind a Service are of IPv4: what is published answers.
    const bool is_six = type == "IPAddress" && value.contains(':');
    if (!value.empty() && value != "None" && !is_six)
      front.addresses.push_back(json::Object{{"type", type}, {"value", value}});
  };
  if (service->text("spec.type") == "LoadBalancer") {
    for (const k8s::View& one : service->items("status.loadBalancer.ingress")) {
      const bool has_address = !one.text("ip").empty();
      add(has_address ? "IPAddress" : "Hostname", one.text(has_address ? "ip" : "hostname"));
    }
  } else {
    const auto all = service->texts("spec.clusterIPs");
    for (const std::string_view address : all) add("IPAddress", address);
    if (all.empty()) add("IPAddress", service->text("spec.clusterIP"));
  }
  if (front.addresses.empty() && addresses == ServiceAddresses::have_to_be_there)
    return fail(ErrorCode::unavailable, name + " has no IPv4 address yet");
  for (const k8s::View& port : service->items("spec.ports"))
    front.ports.emplace(port.integer("port"), port.text("protocol", "TCP") == "UDP");
  return front;
}

}  // namespace

std::vector<const Dynamic*> find_service_fronts(const Objects& objects, ServiceAddresses addresses,
                                                PassContext& context) {
  std::set<std::string, std::less<>> classes;
  for (const Dynamic* object : objects.all("GatewayClass")) {
    if (object->text("spec.controllerName") == controller_name) classes.emplace(object->name());
  }
  std::vector<const Dynamic*> others;
  for (const Dynamic* gateway : objects.by_age("Gateway")) {
    if (!classes.contains(gateway->text("spec.gatewayClassName"))) continue;
    const auto parameters = wants_address(*gateway) ? parameters_of(objects, *gateway) : std::nullopt;
    if (!parameters || !parameters->service) {
      others.push_back(gateway);
      continue;
    }
    const auto front = front_of(objects, *parameters->service, addresses);
    if (front) {
      context.behind_services.emplace(gateway->key(), *front);
    } else {
      context.no_capacity.emplace(gateway->key(),
                                  k8s::ConditionError{"AddressNotAssigned", front.error().message});
    }
  }
  return others;
}

}  // namespace fairway::gateway
