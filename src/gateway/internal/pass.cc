// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/pass.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "gateway/internal/attachment/assigned_addresses.h"
#include "gateway/internal/attachment/gateways.h"
#include "gateway/internal/attachment/infrastructure.h"
#include "gateway/internal/attachment/service_front.h"
#include "gateway/internal/model/pass_context.h"
#include "gateway/internal/status/gateway_reports.h"
#include "gateway/internal/status/policy_reports.h"
#include "k8s/conditions.h"

namespace fairway::gateway {

namespace {

using k8s::Dynamic;

/// Gives Gateways of this controller that name no address the addresses of their class's Service, or one of
/// the pool. Returns those of the pool. `before`: those of the last pass.
std::map<k8s::Key, std::string> give_addresses(Objects& objects, const AddressPool& pool,
                                               const std::map<k8s::Key, std::string>& before,
                                               std::map<k8s::Key, PassCache::Given>& given_before,
                                               PassContext& context) {
  const auto gateways = find_service_fronts(objects, ServiceAddresses::have_to_be_there, context);
  auto addresses = assign_addresses(gateways, pool, before);
  for (const Dynamic* gateway : gateways) {
    if (!wants_address(*gateway)) continue;
    const auto found = addresses.find(gateway->key());
    if (found == addresses.end()) {
      context.no_capacity.emplace(
          gateway->key(),
          k8s::ConditionError{"AddressNotAssigned", "no address is left: --addresses has too few"});
      continue;
    }
    PassCache::Given& given = given_before[gateway->key()];
    auto held = objects.find_shared("Gateway", gateway->key());
    if (given.gateway != held || given.address != found->second) {
      auto with_address = std::make_shared<Dynamic>(*gateway);
      with_address->set("spec.addresses",
                        json::Array{json::Object{{"type", "IPAddress"}, {"value", found->second}}});
      given = {std::move(held), found->second, std::move(with_address)};
    }
    objects.add(given.with_address);
  }
  std::erase_if(given_before, [&](const auto& entry) { return !addresses.contains(entry.first); });
  return addresses;
}

/// Returns the revisions of the kinds that decide, besides Gateways, to what routes are attached. They differ
/// once an object of such a kind has changed.
std::vector<std::uint64_t> revisions_of(const Objects& objects) {
  return {objects.revision("", "Service"), objects.revision("", "Namespace"),
          objects.revision(gateway_group, "ReferenceGrant")};
}

/// Reads Gateways and attaches routes. If only routes have changed since the last pass, its Gateways and
/// routes are reused. Returns whether they are.
bool attach_all(const PassContext& context, PassCache& cache, Evaluation& made) {
  const Objects& objects = made.objects;
  GatewayStates gateways = read_gateways(objects, context);
  for (const char* kind : {"GatewayClass", "Gateway", "ListenerSet"}) {
    for (auto& parent : objects.shared(kind)) made.parents.push_back(std::move(parent));
  }
  made.revisions = revisions_of(objects);
  const auto last = std::move(cache.last);
  // Somebody may still look at it.
  const bool is_free = last && last.use_count() == 1;
  const bool goes_on = is_free && last->revisions == made.revisions && last->gateways.are_same(gateways);
  if (goes_on) {
    made.gateways = std::move(last->gateways);
    made.routes = std::move(last->routes);
    if (attach_changed(objects, made.gateways, cache.routes, made.routes)) return true;
  }
  made.gateways = std::move(gateways);
  made.routes = attach_routes(objects, made.gateways, cache.routes);
  return false;
}

bool is_waiting(const GatewayState& gateway, const Answers& answers) {
  return std::ranges::any_of(answers.unprogrammed_ports(gateway),
                             [](const auto& port) { return port.second.reason == "Pending"; });
}

void record_waiting(const Evaluation& evaluation, const Answers& answers, Pass& pass) {
  std::set<const GatewayState*> waiting;
  for (const GatewayState& gateway : evaluation.gateways.gateways) {
    if (!is_waiting(gateway, answers)) continue;
    waiting.insert(&gateway);
    pass.waiting[gateway.object].insert(gateway.object->key());
    for (const ListenerSetState& set : gateway.sets) pass.waiting[set.object].insert(gateway.object->key());
  }
  if (waiting.empty()) return;
  for (const RouteState& route : evaluation.routes) {
    for (const ParentState& parent : route.parents) {
      if (waiting.contains(parent.gateway)) pass.waiting[route.object].insert(parent.gateway->object->key());
    }
  }
}

}  // namespace

Attached attach(PassInput input, const Previous& previous, PassCache& cache) {
  Attached attached{.evaluation = std::make_shared<Evaluation>(), .addresses = {}};
  Evaluation& made = *attached.evaluation;
  made.objects = std::move(input.objects);
  PassContext context{.now = input.now,
                      .was_ours = previous.ours,
                      .tracing = input.tracing,
                      .own_listeners = input.endpoints.own_listeners,
                      .endpoint_cidrs = input.endpoints.permitted,
                      .listed_addresses = input.pool,
                      .max_connections = input.endpoints.max_connections,
                      .families = input.endpoints.families,
                      .keepalive = input.endpoints.keepalive};
  attached.addresses = give_addresses(made.objects, input.pool, previous.addresses, cache.given, context);
  attached.are_gateways_same = attach_all(context, cache, made);
  return attached;
}

Plan make_plan(Attached attached, const std::set<std::string>& asked_for, const Previous& previous,
               PassCache& cache) {
  static const Served nothing;
  Evaluation& made = *attached.evaluation;
  auto served = std::make_shared<Served>(served_by(
      made.gateways,
      translate(made.objects, made.gateways, made.routes, cache.translations, attached.are_gateways_same),
      asked_for, cache.resources));
  made.published = read_published(made.objects, made.gateways, previous.published);
  // The needs before anything is held back. There may be thousands: they are copied only if somebody asks
  // later what was served.
  const bool is_asked_later = !made.published.empty() || !served->places.empty();
  made.needs = is_asked_later ? served->needs : std::move(served->needs);
  made.held = hold_back(made.published, previous.served != nullptr ? *previous.served : nothing, *served);
  made.routes_known = asked_for;
  // There are thousands of others, in front of them.
  for (auto at = served->resources.lower_bound({xds::Type::route, ""});
       at != served->resources.end() && at->first.type == xds::Type::route; ++at) {
    made.routes_known.insert(at->first.name);
  }
  if (!served->places.empty()) made.served = served;
  Plan plan{.evaluation = attached.evaluation,
            .served = std::move(served),
            .next = {.ours = previous.ours,
                     .addresses = std::move(attached.addresses),
                     .served = made.served,
                     .probed = previous.probed,
                     .published = previous.published}};
  for (const GatewayState& gateway : made.gateways.gateways) {
    if (!gateway.pending) plan.next.ours.insert(gateway.object->key());
  }
  // Objects that are gone have no status.
  std::erase_if(plan.next.published,
                [&](const auto& entry) { return !made.published.contains(entry.first); });
  cache.last = std::move(attached.evaluation);
  return plan;
}

std::unique_ptr<Pass> judge(std::shared_ptr<Evaluation> evaluation, const Answers& answers,
                            PassCache& cache) {
  auto pass = std::make_unique<Pass>();
  pass->evaluation = std::move(evaluation);
  const Evaluation& made = *pass->evaluation;
  pass->unready = unready_of(made.objects, made.gateways, answers, made.published);
  pass->infrastructure = infrastructure_to_apply(made.objects, made.gateways);
  record_waiting(made, answers, *pass);
  report_gateways(made.gateways, answers, pass->reports);
  cache.route_reports.report(made.objects, made.routes, answers,
                             cache.endpoints.left_out(made.objects, made.gateways.endpoints), pass->reports);
  report_policies(made.objects, made.routes, pass->reports);
  return pass;
}

}  // namespace fairway::gateway
