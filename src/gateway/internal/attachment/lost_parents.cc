// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/attachment/lost_parents.h"

#include <algorithm>
#include <optional>

#include "base/nearest.h"
#include "base/text.h"
#include "gateway/internal/objects/api.h"

namespace fairway::gateway {
namespace {

using k8s::Dynamic;

/// Returns what may have been meant by a name of an object that does not exist; "" if nothing is near.
std::string meant(const Objects& objects, std::string_view kind, const k8s::Key& key) {
  std::vector<std::string> names, elsewhere;
  for (const Dynamic* one : objects.all(kind)) {
    if (one->namespace_name() == key.namespace_name)
      names.emplace_back(one->name());
    else if (one->name() == key.name)
      elsewhere.emplace_back(one->namespace_name());
  }
  if (!elsewhere.empty()) {
    return "; there is one of that name in the namespace " + printable(elsewhere.front()) +
           ", which the parentRef does not name";
  }
  const std::string near = nearest(key.name, names);
  return near.empty() ? "" : "; did you mean " + printable(near) + "?";
}

bool is_ours(const GatewayStates& gateways, const Dynamic& gateway) {
  return std::ranges::any_of(gateways.gateways,
                             [&](const GatewayState& one) { return one.object == &gateway; });
}

/// Returns why a Gateway is none of this controller.
LostParent of_another(const Objects& objects, const Dynamic& gateway, const std::string& parent) {
  const std::string_view name = gateway.text("spec.gatewayClassName");
  const std::string begin = parent + " is of the GatewayClass " + printable(name);
  const Dynamic* gateway_class = objects.find("GatewayClass", "", name);
  if (gateway_class == nullptr)
    return {begin + ", which does not exist" + meant(objects, "GatewayClass", {"", std::string(name)}), true};
  return {begin + ", which is served by " + printable(gateway_class->text("spec.controllerName")), false};
}

std::optional<LostParent> why_lost(const Objects& objects, const GatewayStates& gateways,
                                   const Dynamic& route, const ParentRef& ref) {
  const bool is_gateway = ref.kind() == "Gateway";
  if (ref.group() != gateway_group || (!is_gateway && ref.kind() != "ListenerSet")) {
    return LostParent{"parent " + printable(ref.kind()) + " " + printable(ref.name()) +
                          " is no Gateway and no ListenerSet: other kinds are left to other controllers",
                      false};
  }
  const k8s::Key key{std::string(ref.namespace_name(route.namespace_name())), std::string(ref.name())};
  const std::string parent = "parent " + std::string(ref.kind()) + " " + printable(key.to_string());
  const Dynamic* owner = objects.find(ref.kind(), key.namespace_name, key.name);
  if (owner == nullptr) return LostParent{parent + " does not exist" + meant(objects, ref.kind(), key), true};
  if (is_gateway) {
    if (is_ours(gateways, *owner)) return std::nullopt;
    return of_another(objects, *owner, parent);
  }
  const ParentRef of_set(owner->at("spec.parentRef").json());
  const k8s::Key gateway_key{std::string(of_set.namespace_name(owner->namespace_name())),
                             std::string(of_set.name())};
  const std::string behind = parent + ": its Gateway " + printable(gateway_key.to_string());
  const Dynamic* gateway = objects.find("Gateway", gateway_key.namespace_name, gateway_key.name);
  if (gateway == nullptr)
    return LostParent{behind + " does not exist" + meant(objects, "Gateway", gateway_key), true};
  if (is_ours(gateways, *gateway)) return std::nullopt;
  return of_another(objects, *gateway, behind);
}

}  // namespace

std::vector<LostParent> lost_parents(const Objects& objects, const GatewayStates& gateways,
                                     const Dynamic& route) {
  std::vector<LostParent> lost;
  for (const ParentRef& ref : route.items<ParentRef>("spec.parentRefs")) {
    auto why = why_lost(objects, gateways, route, ref);
    // Sections and ports of one parent are lost together.
    if (why && std::ranges::find(lost, why->why, &LostParent::why) == lost.end())
      lost.push_back(*std::move(why));
  }
  return lost;
}

}  // namespace fairway::gateway
