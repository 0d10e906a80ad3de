// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/attachment/infrastructure.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <string>
#include <utility>

#include "base/digest.h"
#include "base/text.h"
#include "k8s/names.h"

namespace fairway::gateway {

namespace {

using k8s::Dynamic;

constexpr std::string_view suffix = "-fairway";
constexpr std::string_view name_label = "gateway.networking.k8s.io/gateway-name";
/// Greatest length of a label's value.
constexpr std::size_t most_label = 63;
constexpr std::size_t digest_digits = 16;

/// Returns the name of a Gateway's Service: "web-fairway"; a hash of the Gateway's name if that is too long
/// for a Service, or has dots.
std::string service_name(const Dynamic& gateway) {
  std::string name = std::string(gateway.name()) + std::string(suffix);
  if (k8s::check_dns_1035_label(name).empty()) return name;
  return "gateway-" + sha256_hex(gateway.name()).substr(0, digest_digits) + std::string(suffix);
}

/// Returns "IPv4" or "IPv6" for an address that an EndpointSlice accepts; empty for others.
std::string_view family_of(const std::string& address) {
  in_addr four{};
  if (::inet_pton(AF_INET, address.c_str(), &four) == 1) {
    const std::uint32_t number = ntohl(four.s_addr);
    const bool is_local = number >> 24 == 127 || number >> 16 == 0xA9FE;
    return is_local ? "" : "IPv4";
  }
  in6_addr six{};
  if (::inet_pton(AF_INET6, address.c_str(), &six) != 1) return "";
  return IN6_IS_ADDR_LOOPBACK(&six) || IN6_IS_ADDR_LINKLOCAL(&six) ? "" : "IPv6";
}

struct NamedPort {
  std::string name, protocol;
  std::int64_t number = 0;
  auto operator<=>(const NamedPort&) const = default;
};

std::set<NamedPort> ports_of(const GatewayState& state) {
  std::set<NamedPort> ports;
  for (const Listener& listener : state.listeners) {
    if (!listener.is_accepted()) continue;
    const std::string protocol = listener.spec.protocol() == "UDP" ? "UDP" : "TCP";
    const std::int64_t number = listener.spec.port();
    ports.insert({to_lower(protocol) + "-" + std::to_string(number), protocol, number});
  }
  return ports;
}

json::Array ports_json(const std::set<NamedPort>& ports) {
  json::Array list;
  for (const NamedPort& port : ports)
    list.push_back(json::Object{{"name", port.name}, {"port", port.number}, {"protocol", port.protocol}});
  return list;
}

/// Makes an object with its name, labels, annotations and the Gateway as its owner.
Dynamic owned(const Dynamic& gateway, std::string_view version, std::string_view kind,
              const std::string& name) {
  Dynamic object;
  object.set("apiVersion", version);
  object.set("kind", kind);
  object.set_name(name);
  object.set_namespace_name(gateway.namespace_name());
  for (const char* field : {"labels", "annotations"}) {
    const json::Value* asked = gateway.find(std::string("spec.infrastructure.") + field);
    if (asked != nullptr && asked->is_object()) object.set(std::string("metadata.") + field, *asked);
  }
  if (gateway.name().size() <= most_label) object.set_entry("metadata.labels", name_label, gateway.name());
  object.set("metadata.ownerReferences", json::Array{json::Object{{"apiVersion", gateway.api_version()},
                                                                  {"kind", "Gateway"},
                                                                  {"name", gateway.name()},
                                                                  {"uid", gateway.uid()},
                                                                  {"controller", true}}});
  return object;
}

Dynamic slice_of(const Dynamic& gateway, const std::string& service, std::string_view family,
                 const json::Array& addresses, const std::set<NamedPort>& ports) {
  Dynamic slice = owned(gateway, "discovery.k8s.io/v1", "EndpointSlice", service + "-" + to_lower(family));
  slice.set_entry("metadata.labels", "kubernetes.io/service-name", service);
  slice.set_entry("metadata.labels", "endpointslice.kubernetes.io/managed-by", "fairway.dev");
  slice.set("addressType", family);
  slice.set("ports", ports_json(ports));
  slice.set("endpoints", json::Array{json::Object{{"addresses", addresses},
                                                  {"conditions", json::Object{{"ready", true}}}}});
  return slice;
}

/// Returns the addresses of the Gateway's spec, and those of the Service that it is behind.
std::vector<std::string> addresses_to_reach(const GatewayState& state) {
  std::vector<std::string> addresses;
  for (const k8s::View& one : state.object->items("spec.addresses"))
    addresses.emplace_back(one.text("value"));
  if (!state.service_addresses) return addresses;
  for (const json::Value& one : *state.service_addresses)
    addresses.emplace_back(k8s::View(one.get_object()).text("value"));
  return addresses;
}

/// Returns whether all that is wanted is there; the server adds defaults.
bool has_all(const json::Value& there, const json::Value& wanted) {
  if (wanted.is_object()) {
    return there.is_object() && std::ranges::all_of(wanted.get_object(), [&](const auto& member) {
             const json::Value* own = there.get_object().if_contains(member.key());
             return own != nullptr && has_all(*own, member.value());
           });
  }
  if (wanted.is_array()) {
    return there.is_array() &&
           std::ranges::equal(there.get_array(), wanted.get_array(),
                              [](const json::Value& a, const json::Value& b) { return has_all(a, b); });
  }
  return there == wanted;
}

void add_unless_there(const Objects& objects, const Dynamic& gateway, Dynamic wanted,
                      std::vector<Dynamic>& to_apply) {
  const Dynamic* there =
      objects.find(wanted.group_version_kind().group, wanted.kind(), wanted.namespace_name(), wanted.name());
  if (there != nullptr) {
    const auto controller = there->controller();
    if (!controller || controller->uid() != gateway.uid()) return;
    if (has_all(json::Value(there->json()), json::Value(wanted.json()))) return;
  }
  to_apply.push_back(std::move(wanted));
}

}  // namespace

std::vector<Dynamic> infrastructure_to_apply(const Objects& objects, const GatewayStates& states) {
  std::vector<Dynamic> to_apply;
  for (const GatewayState& state : states.gateways) {
    if (!state.is_accepted() || state.object->uid().empty()) continue;
    const Dynamic& gateway = *state.object;
    const std::string name = service_name(gateway);
    const std::set<NamedPort> ports = ports_of(state);
    Dynamic service = owned(gateway, "v1", "Service", name);
    service.set("spec.clusterIP", "None");
    service.set("spec.ports", ports_json(ports));
    add_unless_there(objects, gateway, std::move(service), to_apply);
    for (const std::string_view family : {"IPv4", "IPv6"}) {
      json::Array addresses;
      for (const std::string& address : addresses_to_reach(state)) {
        if (family_of(address) == family) addresses.emplace_back(address);
      }
      if (addresses.empty()) continue;
      add_unless_there(objects, gateway, slice_of(gateway, name, family, addresses, ports), to_apply);
    }
  }
  return to_apply;
}

}  // namespace fairway::gateway
