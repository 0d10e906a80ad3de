// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/attachment/served_sockets.h"

#include <algorithm>
#include <set>
#include <string>

#include "gateway/internal/objects/values.h"
#include "k8s/kinds/endpoint_slice.h"

namespace fairway::gateway {

namespace {

/// Adds an address. A text that is not an address is ignored.
void add(std::string_view text, std::set<AddressBytes>& addresses) {
  if (const auto bytes = address_bytes(text)) addresses.insert(*bytes);
}

bool is_named_by_class(const GatewayStates& states, const k8s::Key& service) {
  return std::ranges::any_of(states.classes,
                             [&](const ClassState& one) { return one.parameters.service == service; });
}

/// Adds the addresses of the endpoints behind a Service, whether or not they are ready.
void add_endpoints(const Objects& objects, const k8s::Key& service, std::set<AddressBytes>& addresses) {
  for (const k8s::Dynamic* slice : objects.slices_of(service.namespace_name, service.name)) {
    const k8s::EndpointSlice read(slice->json());
    for (const k8s::Endpoint& endpoint : read.endpoints()) {
      for (const std::string_view address : endpoint.addresses()) add(address, addresses);
    }
  }
}

/// Returns the addresses of a Service at which the Envoys behind it are reached, apart from those of this
/// machine. Fields that a tenant may write count only if a class names the Service.
std::set<AddressBytes> addresses_of_front(const Objects& objects, const GatewayStates& states,
                                          const k8s::Key& key) {
  std::set<AddressBytes> addresses;
  const k8s::Dynamic* service = objects.find("", "Service", key.namespace_name, key.name);
  if (service == nullptr) return addresses;
  add(service->text("spec.clusterIP"), addresses);
  for (const std::string_view one : service->texts("spec.clusterIPs")) add(one, addresses);
  if (!is_named_by_class(states, key)) return addresses;
  for (const std::string_view one : service->texts("spec.externalIPs")) add(one, addresses);
  for (const k8s::View& one : service->items("status.loadBalancer.ingress")) add(one.text("ip"), addresses);
  add_endpoints(objects, key, addresses);
  return addresses;
}

}  // namespace

GatewaySockets served_sockets(const Objects& objects, const PassContext& context,
                              const GatewayStates& states) {
  GatewaySockets sockets(context.own_listeners.machine);
  for (const GatewayState& gateway : states.gateways) {
    if (!gateway.is_accepted() || gateway.unusable) continue;
    std::set<AddressBytes> addresses;
    const auto front = context.behind_services.find(gateway.object->key());
    const bool is_everywhere = front != context.behind_services.end();
    if (is_everywhere) {
      addresses = addresses_of_front(objects, states, front->second.service);
    } else {
      for (const k8s::View& one : gateway.object->items("spec.addresses")) {
        const std::string address = canonical_address(std::string(one.text("value")));
        const auto bytes = address_bytes(address);
        if (bytes && (context.has_all_addresses || sockets.is_of_machine(*bytes) ||
                      context.listed_addresses.contains(address)))
          addresses.insert(*bytes);
      }
    }
    for (const Listener& listener : gateway.listeners) {
      if (!listener.is_accepted()) continue;
      const bool is_udp = listener.spec.protocol() == "UDP";
      if (is_everywhere) sockets.add_everywhere(listener.spec.port(), is_udp);
      for (const AddressBytes& address : addresses) sockets.add(address, listener.spec.port(), is_udp);
    }
  }
  return sockets;
}

std::vector<AddressRange> replica_addresses(const Objects& objects, const GatewayStates& states) {
  std::set<AddressBytes> addresses;
  for (const ClassState& one : states.classes) {
    if (one.parameters.service) add_endpoints(objects, *one.parameters.service, addresses);
  }
  std::vector<AddressRange> ranges;
  ranges.reserve(addresses.size());
  for (const AddressBytes& address : addresses) ranges.emplace_back(address);
  return ranges;
}

}  // namespace fairway::gateway
