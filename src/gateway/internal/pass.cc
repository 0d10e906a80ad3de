#include "gateway/internal/pass.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "gateway/internal/attachment/endpoints.h"
#include "gateway/internal/attachment/gateways.h"
#include "gateway/internal/attachment/infrastructure.h"
#include "gateway/internal/attachment/policies.h"
#include "gateway/internal/attachment/routes.h"
#include "gateway/internal/attachment/service_front.h"
#include "gateway/internal/status/refused_rules.h"
#include "gateway/internal/translation/envoy_names.h"
#include "gateway/internal/translation/translate.h"

namespace fairway::gateway {

namespace {

using k8s::Dynamic;

/// Gives Gateways of this controller that name no address those of their class's Service, or one of the pool.
void give_addresses(Objects& objects, const AddressPool& pool, Memory& memory, Surroundings& surroundings) {
  const auto gateways = find_service_fronts(objects, ServiceAddresses::have_to_be_there, surroundings);
  memory.addresses = assign_addresses(gateways, pool, memory.addresses);
  for (const Dynamic* gateway : gateways) {
    if (!wants_address(*gateway)) continue;
    const auto found = memory.addresses.find(gateway->key());
    if (found == memory.addresses.end()) {
      surroundings.no_capacity.emplace(
          gateway->key(), k8s::Problem{"AddressNotAssigned", "no address is left: --addresses has too few"});
      continue;
    }
    Known::Given& given = memory.known.given[gateway->key()];
    auto held = objects.find_shared("Gateway", gateway->key());
    if (given.gateway != held || given.address != found->second) {
      auto with_address = std::make_shared<Dynamic>(*gateway);
      with_address->set("spec.addresses",
                        json::Array{json::Object{{"type", "IPAddress"}, {"value", found->second}}});
      given = {std::move(held), found->second, std::move(with_address)};
    }
    objects.add(given.with_address);
  }
  std::erase_if(memory.known.given,
                [&](const auto& entry) { return !memory.addresses.contains(entry.first); });
}

/// What routes are attached by, apart from Gateways: another number where it has changed.
std::vector<std::uint64_t> revisions_of(const Objects& objects) {
  return {objects.revision("", "Service"), objects.revision("", "Namespace"),
          objects.revision(gateway_group, "ReferenceGrant")};
}

/// Reads Gateways and attaches routes. Where nothing but routes has changed since the last time, what was
/// made then goes on. Returns whether it does.
bool attach_all(const Surroundings& surroundings, Memory& memory, Evaluation& made) {
  const Objects& objects = made.objects;
  GatewayStates gateways = read_gateways(objects, surroundings);
  for (const char* kind : {"GatewayClass", "Gateway", "ListenerSet"}) {
    for (auto& parent : objects.shared(kind)) made.parents.push_back(std::move(parent));
  }
  made.revisions = revisions_of(objects);
  const auto last = std::move(memory.known.last);
  // Somebody may still look at it.
  const bool is_free = last && last.use_count() == 1;
  const bool goes_on = is_free && last->revisions == made.revisions && last->gateways.are_same(gateways);
  if (goes_on) {
    made.gateways = std::move(last->gateways);
    made.routes = std::move(last->routes);
    for (GatewayState& gateway : made.gateways.gateways) gateway.forget_answers();
    if (attach_changed(objects, made.gateways, memory.known.routes, made.routes)) return true;
  }
  made.gateways = std::move(gateways);
  made.routes = attach_routes(objects, made.gateways, memory.known.routes);
  return false;
}

/// "Listener": the last part of its message's name.
std::string kind_of(xds::Type type) {
  const std::string_view message = xds::message_of(type);
  return std::string(message.substr(message.rfind('.') + 1));
}

k8s::Problem held_back_problem() {
  return {"Pending", "Envoy is given the change once Ready=True has been taken back"};
}

/// What Envoys say about all that a listener needs; std::nullopt: they serve it. What is held back they have
/// not been given. Nothing is said of what is `aside`.
std::optional<k8s::Problem> problem_of(const std::set<xds::ResourceName>& needs,
                                       const std::set<xds::ResourceName>& held, const Envoys& envoys,
                                       const std::set<xds::ResourceName>& aside = {}) {
  using enum xds::Agreement::State;
  std::optional<k8s::Problem> waiting;
  for (const xds::ResourceName& name : needs) {
    if (aside.contains(name)) continue;
    if (held.contains(name)) return held_back_problem();
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

/// The certificates of listeners that Envoys refuse. Envoy serves a listener all the same, but for the names
/// that it has no certificate for: only who shows it is not served.
std::set<xds::ResourceName> refused_certificates(const GatewayState& gateway, const Envoys& envoys) {
  std::set<xds::ResourceName> refused;
  for (const Listener& listener : gateway.listeners) {
    if (!listener.is_accepted()) continue;
    for (const std::string& name : secret_names(listener)) {
      const xds::ResourceName secret{xds::Type::secret, name};
      if (envoys.agreement(secret).state == xds::Agreement::State::refused) refused.insert(secret);
    }
  }
  return refused;
}

/// Notes what Envoys do not serve yet, or refuse.
void note_unprogrammed(const Served& served, const Needs& needs, const std::set<xds::ResourceName>& held,
                       const Envoys& envoys, GatewayState& gateway) {
  const auto note = [&](std::int64_t port, k8s::Problem problem) {
    // A refusal says more than that something is not there yet.
    if (problem.reason == "Invalid" || !gateway.unprogrammed.contains(port))
      gateway.unprogrammed.insert_or_assign(port, std::move(problem));
  };
  const std::set<xds::ResourceName> refused = refused_certificates(gateway, envoys);
  for (Listener& listener : gateway.listeners) {
    if (!listener.is_accepted()) continue;
    for (const std::string& name : listener_names(gateway, listener)) {
      const auto found = needs.find(name);
      if (found == needs.end()) continue;
      if (auto problem = problem_of(found->second, held, envoys, refused))
        note(listener.spec.port(), *std::move(problem));
    }
    for (const std::string& name : secret_names(listener)) {
      const xds::ResourceName secret{xds::Type::secret, name};
      if (refused.contains(secret)) listener.refused_by_envoy = problem_of({secret}, held, envoys);
    }
  }
  if (held.empty()) return;
  // Listeners that are no more, and are served all the same.
  const auto is_of_gateway = [&](const Owner& owner) {
    return owner == owner_of(*gateway.object) ||
           std::ranges::any_of(gateway.sets, [&](const auto& set) { return owner == owner_of(*set.object); });
  };
  for (const auto& [key, place] : served.places) {
    const bool is_held = std::ranges::any_of(
        place.names, [&](const std::string& name) { return held.contains({xds::Type::listener, name}); });
    if (is_held && is_of_gateway(key.first)) note(place.port, held_back_problem());
  }
}

/// Whether a listener is to be probed: Envoys serve all that it needs, or did when it was probed last, and
/// have its listener and its key pairs as they are now. `refused`: certificates of the Gateway's listeners.
bool is_probed(const GatewayState& gateway, const Listener& listener, const Needs& needs,
               const std::set<xds::ResourceName>& held, const Envoys& envoys,
               const std::set<xds::ResourceName>& refused, bool was_probed) {
  if (!gateway.parameters.ready || !gateway.is_accepted() || gateway.unusable || !listener.is_accepted())
    return false;
  return std::ranges::all_of(listener_names(gateway, listener), [&](const std::string& name) {
    const auto found = needs.find(name);
    if (found == needs.end()) return false;
    std::set<xds::ResourceName> some = found->second;
    const auto own = secret_names(listener);
    std::erase_if(some, [&](const xds::ResourceName& need) {
      return refused.contains(need) && !own.contains(need.name);
    });
    if (was_probed) {
      std::erase_if(some, [](const xds::ResourceName& need) {
        return need.type != xds::Type::listener && need.type != xds::Type::secret;
      });
    }
    return !problem_of(some, held, envoys);
  });
}

/// Has listeners probed, and notes what probes have shown.
void note_probed(const Objects& objects, const Needs& needs, const std::set<xds::ResourceName>& held,
                 const Envoys& envoys, Probes& probes, Memory& memory, GatewayStates& gateways) {
  const std::uint64_t session = envoys.session();
  std::set<Probe> wanted;
  std::set<std::pair<Owner, std::string>> probed;
  std::map<Listener*, std::vector<Probe>> by_listener;
  for (GatewayState& gateway : gateways.gateways) {
    if (!gateway.parameters.ready) continue;
    const auto refused = refused_certificates(gateway, envoys);
    for (Listener& listener : gateway.listeners) {
      const std::pair key(owner_of(*listener.owner), std::string(listener.spec.name()));
      if (!is_probed(gateway, listener, needs, held, envoys, refused, memory.probed.contains(key))) continue;
      auto all = probes_of(objects, gateway, listener, memory.served, session);
      if (all.empty()) continue;
      probed.insert(key);
      wanted.insert(all.begin(), all.end());
      by_listener.emplace(&listener, std::move(all));
    }
  }
  memory.probed = std::move(probed);
  probes.want(wanted);
  for (const auto& [listener, all] : by_listener) {
    std::optional<Result<void>> shown = Result<void>();
    for (const Probe& probe : all) {
      auto answer = probes.answer(probe);
      if (shown && *shown) shown = std::move(answer);
    }
    listener->probed = std::move(shown);
  }
}

/// nullptr: it is gone.
const Dynamic* find_owner(const Objects& objects, const Owner& owner) {
  return objects.find(gateway_group, owner.kind, owner.key.namespace_name, owner.key.name);
}

/// Of what a status says, or may say, Ready=True.
ReadyWords read_told(const Objects& objects, const GatewayStates& gateways, ReadyWords& own) {
  ReadyWords told;
  std::set<Owner> judged;
  const auto read = [&](const Dynamic& object) {
    const Owner owner = owner_of(object);
    judged.insert(owner);
    ReadyParts parts = ready_parts_of(object);
    if (const auto found = own.find(owner); found != own.end()) {
      parts.itself = parts.itself || found->second.itself;
      parts.listeners.insert(found->second.listeners.begin(), found->second.listeners.end());
    }
    if (!parts.empty()) told.emplace(owner, std::move(parts));
  };
  for (const GatewayState& gateway : gateways.gateways) {
    read(*gateway.object);
    for (const ListenerSetState& set : gateway.sets) read(*set.object);
  }
  // What is another's now says what it was told here; what others have said of it is theirs.
  for (const auto& [owner, parts] : own) {
    if (!judged.contains(owner) && find_owner(objects, owner) != nullptr) told.emplace(owner, parts);
  }
  // What is gone has no status.
  std::erase_if(own, [&](const auto& entry) { return !told.contains(entry.first); });
  return told;
}

void note_unready(const GatewayStates& gateways, const ReadyWords& told, Pass& pass) {
  std::set<Owner> judged;
  const auto note = [&](const GatewayState& gateway, const Dynamic& object) {
    const auto found = told.find(owner_of(object));
    if (found == told.end()) return;
    judged.insert(found->first);
    ReadyParts parts = found->second;
    for (const Listener& listener : gateway.listeners) {
      if (listener.owner == &object && listener.is_ready())
        parts.listeners.erase(std::string(listener.spec.name()));
    }
    // It speaks of all listeners that there were, of those that are no more, too.
    if (gateway.is_ready() && parts.listeners.empty()) parts.itself = false;
    if (!parts.empty()) pass.unready.emplace(&object, std::move(parts));
  };
  for (const GatewayState& gateway : gateways.gateways) {
    note(gateway, *gateway.object);
    for (const ListenerSetState& set : gateway.sets) note(gateway, *set.object);
  }
  for (const auto& [owner, parts] : told) {
    if (judged.contains(owner)) continue;
    if (const Dynamic* object = find_owner(pass.evaluation->objects, owner))
      pass.unready.emplace(object, parts);
  }
}

/// What is said of it now.
std::unique_ptr<Pass> judge(std::shared_ptr<Evaluation> made, Memory& memory, Envoys& envoys,
                            Probes* probes) {
  auto pass = std::make_unique<Pass>();
  pass->evaluation = std::move(made);
  Evaluation& evaluation = *pass->evaluation;
  GatewayStates& gateways = evaluation.gateways;
  for (GatewayState& gateway : gateways.gateways) {
    if (!gateway.pending) memory.ours.insert(gateway.object->key());
    note_unprogrammed(memory.served, evaluation.needs, evaluation.held, envoys, gateway);
  }
  note_refused_rules(memory.known.translations, envoys, evaluation);
  if (probes != nullptr) {
    note_probed(evaluation.objects, evaluation.needs, evaluation.held, envoys, *probes, memory, gateways);
  }
  note_unready(gateways, evaluation.told, *pass);
  // Nobody asks what was served.
  if (memory.served.places.empty()) memory.served = {};
  pass->infrastructure = infrastructure_to_apply(evaluation.objects, gateways);
  note_waiting(gateways, evaluation.routes, *pass);
  note_left_out(evaluation.objects, memory.known.endpoints.left_out(evaluation.objects, gateways.endpoints),
                evaluation.routes);
  report_gateways(gateways, pass->reports);
  report_routes(evaluation.objects, evaluation.routes, memory.known.routes, pass->reports);
  report_policies(evaluation.objects, evaluation.routes, pass->reports);
  return pass;
}

}  // namespace

std::unique_ptr<Pass> run_pass(Objects objects, const AddressPool& pool, Memory& memory, WallTime now,
                               Envoys& envoys, Probes* probes, const std::optional<Tracing>& tracing,
                               const EndpointPolicy& endpoints) {
  auto made = std::make_shared<Evaluation>();
  made->objects = std::move(objects);
  Surroundings surroundings{.now = now,
                            .was_ours = memory.ours,
                            .tracing = tracing,
                            .own_listeners = endpoints.own_listeners,
                            .endpoint_cidrs = endpoints.permitted,
                            .listed_addresses = pool,
                            .max_connections = endpoints.max_connections};
  give_addresses(made->objects, pool, memory, surroundings);
  const bool goes_on = attach_all(surroundings, memory, *made);
  made->routes_known = envoys.routes_asked_for();
  Served served =
      served_by(made->gateways,
                translate(made->objects, made->gateways, made->routes, memory.known.translations, goes_on),
                made->routes_known, memory.known.resources);
  made->told = read_told(made->objects, made->gateways, memory.told);
  const bool is_anything_told = !made->told.empty();
  // What is held back is not what is needed; there may be thousands.
  if (is_anything_told) made->needs = served.needs;
  made->held = hold_back(made->told, memory.served, served);
  // There are thousands of others, in front of them.
  for (auto at = served.resources.lower_bound({xds::Type::route, ""});
       at != served.resources.end() && at->first.type == xds::Type::route; ++at) {
    made->routes_known.insert(at->first.name);
  }
  envoys.set(served.resources);
  if (!is_anything_told) made->needs = served.places.empty() ? std::move(served.needs) : served.needs;
  memory.served = std::move(served);
  memory.known.last = made;
  return judge(std::move(made), memory, envoys, probes);
}

std::unique_ptr<Pass> run_pass_again(const Pass& last, Memory& memory, Envoys& envoys, Probes* probes) {
  // What was told decides what Envoys are given.
  if (!last.evaluation->told.empty() || !memory.told.empty()) return nullptr;
  // Connections from before may go on with routes that nothing else refers to.
  const std::set<std::string> asked_for = envoys.routes_asked_for();
  if (!std::ranges::includes(last.evaluation->routes_known, asked_for)) return nullptr;
  for (GatewayState& gateway : last.evaluation->gateways.gateways) gateway.forget_answers();
  return judge(last.evaluation, memory, envoys, probes);
}

}  // namespace fairway::gateway
