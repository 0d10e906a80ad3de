#include "gateway/internal/pass.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "gateway/internal/discovery_resources.h"
#include "gateway/internal/gateways.h"
#include "gateway/internal/infrastructure.h"
#include "gateway/internal/policies.h"
#include "gateway/internal/routes.h"
#include "gateway/internal/translate.h"

namespace fairway::gateway {

namespace {

using k8s::Dynamic;

bool is_gateway(const Dynamic& object) {
  return object.kind() == "Gateway" && object.group_version_kind().group == gateway_group;
}

/// Gives Gateways of this controller that name no address one of the pool.
void give_addresses(std::vector<Dynamic>& objects, const AddressPool& pool, Memory& memory,
                    Surroundings& surroundings) {
  std::set<std::string, std::less<>> classes;
  for (const Dynamic& object : objects) {
    if (object.kind() == "GatewayClass" && object.text("spec.controllerName") == controller_name)
      classes.emplace(object.name());
  }
  std::vector<const Dynamic*> gateways;
  for (const Dynamic& object : objects) {
    if (is_gateway(object) && classes.contains(object.text("spec.gatewayClassName")))
      gateways.push_back(&object);
  }
  std::ranges::sort(gateways, [](const auto* a, const auto* b) { return is_older(*a, *b); });
  memory.addresses = assign_addresses(gateways, pool, memory.addresses);
  const auto& assigned = memory.addresses;
  for (const Dynamic* gateway : gateways) {
    if (wants_address(*gateway) && !assigned.contains(gateway->key())) {
      surroundings.no_capacity.emplace(
          gateway->key(), k8s::Problem{"AddressNotAssigned", "no address is left: --addresses has too few"});
    }
  }
  for (Dynamic& object : objects) {
    if (!is_gateway(object)) continue;
    const auto found = assigned.find(object.key());
    if (found == assigned.end()) continue;
    object.set("spec.addresses", json::Array{json::Object{{"type", "IPAddress"}, {"value", found->second}}});
  }
}

/// "Listener": the last part of its message's name.
std::string kind_of(xds::Type type) {
  const std::string_view message = xds::message_of(type);
  return std::string(message.substr(message.rfind('.') + 1));
}

/// What Envoys say about all that a listener needs; std::nullopt: they serve it.
std::optional<k8s::Problem> problem_of(const std::set<xds::ResourceName>& needs, const Envoys& envoys) {
  using enum xds::Agreement::State;
  std::optional<k8s::Problem> waiting;
  for (const xds::ResourceName& name : needs) {
    const xds::Agreement agreement = envoys.agreement(name);
    if (agreement.state == refused)
      return k8s::Problem{"Invalid", "Envoy refuses it: " + printable(agreement.message, 2000)};
    if (agreement.state == unconnected) waiting = k8s::Problem{"Pending", "no Envoy is connected"};
    if (agreement.state == pending && !waiting)
      waiting = k8s::Problem{"Pending", "not every Envoy has acknowledged the configuration: " +
                                            kind_of(name.type) + " " + name.name};
  }
  return waiting;
}

bool is_waiting(const GatewayState& gateway) {
  return std::ranges::any_of(gateway.unprogrammed,
                             [](const auto& port) { return port.second.reason == "Pending"; });
}

void note_waiting(const GatewayStates& gateways, const std::deque<RouteState>& routes, Pass& pass) {
  std::set<const GatewayState*> waiting;
  for (const GatewayState& gateway : gateways.gateways) {
    if (!is_waiting(gateway)) continue;
    waiting.insert(&gateway);
    pass.waiting[gateway.object].insert(gateway.object->key());
    for (const ListenerSetState& set : gateway.sets) pass.waiting[set.object].insert(gateway.object->key());
  }
  for (const RouteState& route : routes) {
    for (const ParentState& parent : route.parents) {
      if (waiting.contains(parent.gateway)) pass.waiting[route.object].insert(parent.gateway->object->key());
    }
  }
}

}  // namespace

std::unique_ptr<Pass> run_pass(std::vector<Dynamic> objects, const AddressPool& pool, Memory& memory,
                               WallTime now, Envoys& envoys) {
  auto pass = std::make_unique<Pass>();
  Surroundings surroundings{.now = now, .was_ours = memory.ours};
  give_addresses(objects, pool, memory, surroundings);
  for (Dynamic& object : objects) pass->objects.add(std::move(object));
  GatewayStates gateways = read_gateways(pass->objects, surroundings);
  const auto routes = attach_routes(pass->objects, gateways);
  const Translation translation = translate(pass->objects, gateways, routes);
  envoys.set(discovery_resources(translation));
  const auto needs = needs_of_listeners(translation);
  for (GatewayState& gateway : gateways.gateways) {
    if (!gateway.pending) memory.ours.insert(gateway.object->key());
    for (const Listener& listener : gateway.listeners) {
      const std::int64_t port = listener.spec.port();
      const auto found = needs.find(listener_name(gateway, listener));
      if (!listener.is_accepted() || found == needs.end()) continue;
      // A refusal says more than that something is not there yet.
      auto problem = problem_of(found->second, envoys);
      if (problem && (problem->reason == "Invalid" || !gateway.unprogrammed.contains(port)))
        gateway.unprogrammed.insert_or_assign(port, *std::move(problem));
    }
  }
  pass->infrastructure = infrastructure_to_apply(pass->objects, gateways);
  note_waiting(gateways, routes, *pass);
  report_gateways(gateways, pass->reports);
  report_routes(pass->objects, routes, pass->reports);
  report_policies(pass->objects, routes, pass->reports);
  return pass;
}

}  // namespace fairway::gateway
