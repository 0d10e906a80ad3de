// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/translation/envoy_names.h"

#include <algorithm>

#include "gateway/internal/objects/values.h"

namespace fairway::gateway {

std::vector<std::string> addresses_of(const GatewayState& gateway) {
  // Connections to a Service arrive at any address that Envoy has.
  if (gateway.service_addresses) return {"0.0.0.0"};
  std::vector<std::string> addresses;
  for (const k8s::View& one : gateway.object->items("spec.addresses")) {
    if (one.text("value").empty()) continue;
    std::string address = canonical_address(std::string(one.text("value")));
    if (std::ranges::find(addresses, address) == addresses.end()) addresses.push_back(std::move(address));
  }
  if (addresses.empty()) addresses.emplace_back();
  return addresses;
}

std::string listener_name(const std::string& address, const GatewayState& gateway, const Listener& listener) {
  std::string name = address.empty() ? gateway.object->key().to_string() : address;
  if (name.find(':') != std::string::npos) name = "[" + name + "]";
  name += ":" + std::to_string(listener.spec.port());
  return name + (listener.spec.protocol() == "UDP" ? "/udp" : "/tcp");
}

std::vector<std::string> listener_names(const GatewayState& gateway, const Listener& listener) {
  std::vector<std::string> names;
  for (const std::string& address : addresses_of(gateway))
    names.push_back(listener_name(address, gateway, listener));
  return names;
}

std::string secret_name(const ObjectRef& ref, std::string_view from_namespace) {
  return std::string(ref.namespace_name(from_namespace)) + "/" + std::string(ref.name());
}

std::set<std::string> secret_names(const Listener& listener) {
  std::set<std::string> names;
  for (const ObjectRef& ref : listener.spec.certificates())
    names.insert(secret_name(ref, listener.owner->namespace_name()));
  return names;
}

std::string routes_name(const std::string& name, const GatewayState& gateway, const Listener& listener) {
  const std::string of_gateway = gateway.object->key().to_string();
  const bool has_address = !name.starts_with(of_gateway + ":");
  std::string path = has_address ? of_gateway : "";
  if (listener.spec.protocol() == "HTTPS") {
    if (has_address) path += '/';
    if (listener.owner != gateway.object) path += listener.owner->key().to_string() + "/";
    path += std::string(listener.spec.name());
  }
  return path.empty() ? name : name + "#" + path;
}

}  // namespace fairway::gateway
