// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/status/refused_rules.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "gateway/internal/translation/envoy_names.h"
#include "gateway/internal/translation/route_tables.h"
#include "gateway/internal/translation/shards.h"

namespace fairway::gateway {

namespace {

/// Longest part of Envoy's message that a condition's message has, in bytes.
constexpr std::size_t most_words = 1000;

/// A route on a listener.
using Spot = std::pair<const RouteState*, const Listener*>;
/// The refused Envoy routes of a route on a listener, by the numbers that they have among its Envoy routes.
using Refused = std::map<Spot, std::set<std::size_t>>;
/// The messages on a route on a listener, by the number of the rule.
using Words = std::map<Spot, std::map<std::size_t, std::string>>;

Spot spot_of(const ServedRoute& served) {
  return {served.route, served.attachment->listener};
}

/// The refused parts of one RouteConfiguration, and its listener.
struct Place {
  const Listener* listener = nullptr;
  std::vector<xds::RefusedPart> parts;
};

/// Returns the RouteConfigurations of a Gateway that have refused parts.
std::vector<Place> refused_places(const GatewayState& gateway, const Evaluation& evaluation,
                                  const Envoys& envoys) {
  std::vector<Place> places;
  // Listeners of HTTP share those of their port.
  std::set<std::string> asked;
  for (const Listener& listener : gateway.listeners) {
    const std::string_view protocol = listener.spec.protocol();
    if (!listener.is_accepted() || (protocol != "HTTP" && protocol != "HTTPS")) continue;
    for (const std::string& name : listener_names(gateway, listener)) {
      const std::string own = routes_name(name, gateway, listener);
      const auto needs = evaluation.needs.find(name);
      if (needs == evaluation.needs.end() || !asked.insert(own).second) continue;
      for (const xds::ResourceName& need : needs->second) {
        // Of what is held back Envoys have another.
        if (need.type != xds::Type::route || table_of(need.name) != own || evaluation.held.contains(need))
          continue;
        auto acknowledgement = envoys.acknowledgement(need);
        if (!acknowledgement.parts.empty())
          places.push_back({.listener = &listener, .parts = std::move(acknowledgement.parts)});
      }
    }
  }
  return places;
}

void record(const Port& port, const Place& place, Refused& refused, Words& words) {
  const bool is_of_port = place.listener->spec.protocol() == "HTTP";
  for (const xds::RefusedPart& part : place.parts) {
    const auto placed = routes_placed(port, is_of_port ? nullptr : place.listener, part.host);
    for (std::size_t i = 0; i < placed.size(); ++i) {
      if (part.route && *part.route != i) continue;
      const auto& [served, number] = placed[i];
      // On its other hostnames it may be served.
      if (part.route || served->attachment->hostnames.size() == 1) refused[spot_of(*served)].insert(number);
      words[spot_of(*served)].try_emplace(
          (*served->routes)[number].rule,
          std::string(part.route ? "Envoy refuses it: " : "Envoy refuses its hostname: ") +
              printable(part.message, most_words));
    }
  }
}

/// Returns the number of Envoy routes of each route on a listener.
std::map<Spot, std::size_t> counts_of(const Ports& ports) {
  std::map<Spot, std::size_t> counts;
  for (const auto& [number, port] : ports) {
    for (const ServedRoute& served : port.served) {
      if (served.routes != nullptr) counts[spot_of(served)] = served.routes->size();
    }
  }
  return counts;
}

/// Returns the rules of a route that Envoys refuse at a parent; no rules: they refuse none.
RefusedRules refused_at(const RouteState& route, const ParentState& parent, const Refused& refused,
                        const Words& words, const std::map<Spot, std::size_t>& counts) {
  RefusedRules at;
  bool is_any_served = false;
  for (const Attachment& attachment : parent.attachments) {
    const Spot spot{&route, attachment.listener};
    if (const auto said = words.find(spot); said != words.end())
      at.rules.insert(said->second.begin(), said->second.end());
    const auto count = counts.find(spot);
    const auto there = refused.find(spot);
    const std::size_t without = there != refused.end() ? there->second.size() : 0;
    if (count != counts.end() && count->second > without) is_any_served = true;
  }
  at.is_all = !at.rules.empty() && !is_any_served;
  return at;
}

}  // namespace

void find_refused_rules(const Evaluation& evaluation, const TranslationCache& translations,
                        const Envoys& envoys, Answers& answers) {
  for (const GatewayState& gateway : evaluation.gateways.gateways) {
    if (!gateway.is_accepted() || gateway.unusable) continue;
    const auto places = refused_places(gateway, evaluation, envoys);
    // Nearly always: nothing is put together again.
    if (places.empty()) continue;
    const Ports ports = served_ports(gateway, evaluation.routes, translations);
    Refused refused;
    Words words;
    for (const Place& place : places) {
      const auto port = ports.find({place.listener->spec.port(), false});
      if (port != ports.end()) record(port->second, place, refused, words);
    }
    const auto counts = counts_of(ports);
    for (const RouteState& route : evaluation.routes) {
      for (const ParentState& parent : route.parents) {
        if (parent.gateway != &gateway) continue;
        auto at = refused_at(route, parent, refused, words, counts);
        if (!at.rules.empty()) answers.refused_rules.emplace(&parent, std::move(at));
      }
    }
  }
}

}  // namespace fairway::gateway
