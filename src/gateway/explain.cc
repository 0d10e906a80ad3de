// SPDX-License-Identifier: Apache-2.0

#include "gateway/explain.h"

#include <algorithm>
#include <deque>
#include <set>
#include <utility>

#include "base/text.h"
#include "gateway/internal/attachment/endpoints.h"
#include "gateway/internal/attachment/gateways.h"
#include "gateway/internal/attachment/lost_parents.h"
#include "gateway/internal/attachment/routes.h"
#include "gateway/internal/attachment/service_front.h"
#include "gateway/internal/offline/offline_context.h"
#include "gateway/internal/offline/sources.h"
#include "gateway/internal/status/status.h"
#include "gateway/internal/translation/envoy_names.h"
#include "gateway/internal/translation/translate.h"

namespace fairway::gateway {

namespace {

using k8s::View;

/// Longest part of a message that is printed, in bytes.
constexpr std::size_t most_message = 1000;

/// Describes a listener: "http: HTTP on port 80".
std::string words(const Listener& listener) {
  std::string text = printable(listener.spec.name()) + ": " + printable(listener.spec.protocol()) +
                     " on port " + std::to_string(listener.spec.port());
  if (!listener.hostname.empty()) text += " for " + printable(listener.hostname);
  return text;
}

/// Describes a condition: "Programmed=True Programmed: Envoy serves this configuration".
std::string words(const k8s::Condition& one, const k8s::Dynamic& owner) {
  const bool is_old = one.observed_generation().value_or(0) < owner.generation();
  return printable(one.type()) + "=" + std::string(to_string(one.status())) + " " + printable(one.reason()) +
         ": " + printable(one.message(), most_message) + (is_old ? " (of an older generation)" : "");
}

/// Returns the conditions in the route's status that show that a parent does not serve all of it: Envoy's
/// refusals are found only there.
std::string describe_refusals(const RouteState& route, const ParentState& parent) {
  std::string text;
  for (const View& entry : route.object->items("status.parents")) {
    if (entry.text("controllerName") != controller_name ||
        !same_ref(entry.at("parentRef"), parent.ref, route.object->namespace_name()))
      continue;
    for (const k8s::Condition& one : entry.items<k8s::Condition>("conditions")) {
      const bool is_refusal =
          (one.type() == "Accepted" && one.status() == k8s::ConditionStatus::is_false) ||
          (one.type() == "PartiallyInvalid" && one.status() == k8s::ConditionStatus::is_true);
      if (is_refusal) text += "    status: " + words(one, *route.object) + "\n";
    }
  }
  return text;
}

/// Returns the listener's Programmed condition, which says what Envoy serves.
std::string describe_envoy_answer(const Listener& listener) {
  for (const View& entry : listener.owner->items("status.listeners")) {
    if (entry.text("name") != listener.spec.name()) continue;
    for (const k8s::Condition& one : entry.items<k8s::Condition>("conditions")) {
      if (one.type() == "Programmed") return words(one, *listener.owner);
    }
  }
  return "no status says what Envoy serves";
}

/// Returns Envoy's virtual hosts for these hostnames of a listener, or the whole listener if it serves
/// connections and not requests.
json::Value given(const Translation& translation, const GatewayState& gateway, const Attachment& attachment) {
  const Listener& listener = *attachment.listener;
  // All addresses have the same.
  const std::string name = listener_names(gateway, listener).front();
  if (const auto routes = translation.routes.find(routes_name(name, gateway, listener));
      routes != translation.routes.end()) {
    json::Array hosts;
    for (const xds::VirtualHost& host : routes->second.hosts()) {
      const std::string_view name = host->at("name").get_string();
      const std::string hostname(name == "*" ? "" : name);
      if (std::ranges::find(attachment.hostnames, hostname) != attachment.hostnames.end())
        hosts.push_back(*host);
    }
    return json::Object{{"name", routes->first}, {"virtual_hosts", std::move(hosts)}};
  }
  const auto found = translation.listeners.find(name);
  return found != translation.listeners.end() ? json::Value(found->second) : json::Value();
}

std::string indented(const std::string& text, std::size_t by) {
  std::string out;
  for (const std::string_view line : split(text, '\n')) {
    if (!line.empty()) out += std::string(by, ' ') + std::string(line) + "\n";
  }
  return out;
}

void explain_parent(const Objects& objects, const Translation& translation, const RouteState& route,
                    const ParentState& parent, std::string& out) {
  out += "  parent " + describe(*parent.owner) + "\n" + describe_refusals(route, parent);
  if (parent.gateway->pending) out += "    not known yet: " + *parent.gateway->pending + "\n";
  if (parent.gateway->refused)
    out += "    the Gateway is not accepted: " + parent.gateway->refused->message + "\n";
  for (const Listener& listener : parent.gateway->listeners) {
    out += "    listener " + words(listener) + "\n";
    if (const auto why = why_not_attached(objects, route, parent, listener)) {
      out += "      not served: " + *why + "\n";
      continue;
    }
    const auto found = std::ranges::find(parent.attachments, &listener, &Attachment::listener);
    if (!route.is_accepted_by(parent) || found == parent.attachments.end()) {
      out += "      not served: the route is not accepted\n";
      continue;
    }
    std::vector<std::string> names;
    for (const std::string& hostname : found->hostnames)
      names.push_back(hostname.empty() ? "every name" : printable(hostname));
    out += "      served for " + join(names, ", ") + "\n      status: " + describe_envoy_answer(listener) +
           "\n      Envoy is given:\n" +
           indented(json::to_pretty_text(given(translation, *parent.gateway, *found)), 8);
  }
}

/// Returns why parents that a route names are not of this controller, a line each.
std::string explain_lost_parents(const Objects& objects, const GatewayStates& gateways,
                                 const k8s::Dynamic& route) {
  std::string out;
  for (const LostParent& lost : lost_parents(objects, gateways, route)) out += "  " + lost.why + "\n";
  return out;
}

std::string explain_route(const Objects& objects, const GatewayStates& gateways,
                          const Translation& translation, const RouteState& route,
                          const LeftOutEndpoints& left_out) {
  std::string out = describe(*route.object) + "\n" + explain_lost_parents(objects, gateways, *route.object);
  const RouteFacts& facts = *route.facts;
  if (facts.invalid) out += "  not accepted: " + facts.invalid->reason + ": " + facts.invalid->message + "\n";
  for (const k8s::ConditionError& problem : facts.dropped)
    out += "  dropped: " + problem.reason + ": " + problem.message + "\n";
  if (facts.unresolved)
    out += "  unresolved: " + facts.unresolved->reason + ": " + facts.unresolved->message + "\n";
  if (const std::string words = describe_left_out(objects, left_out, route); !words.empty())
    out += "  not served: " + words + "\n";
  for (const ParentState& parent : route.parents) explain_parent(objects, translation, route, parent, out);
  return out;
}

}  // namespace

Result<std::string> explain(const std::vector<SourceText>& sources, std::string_view route, WallTime now,
                            const OfflineSettings& settings) {
  auto context = offline_context(settings, now);
  if (!context) return fail(context.error());
  const auto read = read_sources(sources);
  if (!read) return fail(read.error());
  const Objects& objects = *read;
  const std::size_t slash = route.find('/');
  const k8s::Key key = slash == std::string_view::npos ? k8s::Key{"default", std::string(route)}
                                                       : k8s::Key{std::string(route.substr(0, slash)),
                                                                  std::string(route.substr(slash + 1))};
  find_service_fronts(objects, ServiceAddresses::count_as_assigned, *context);
  GatewayStates gateways = read_gateways(objects, *context);
  RouteFactsCache facts;
  const std::deque<RouteState> routes = attach_routes(objects, gateways, facts);
  const auto left_out = EndpointCache().left_out(objects, gateways.endpoints);
  TranslationCache translations;
  const Translation translation = translate(objects, gateways, routes, translations);
  std::string out;
  std::set<const k8s::Dynamic*> explained;
  for (const RouteState& one : routes) {
    if (one.object->key() != key) continue;
    explained.insert(one.object);
    out += explain_route(objects, gateways, translation, one, *left_out);
  }
  // Routes of other controllers have no state here.
  for (const RouteKind kind : route_kinds) {
    const k8s::Dynamic* object = objects.find(to_string(kind), key.namespace_name, key.name);
    if (object != nullptr && !explained.contains(object))
      out += describe(*object) + "\n  no parentRef leads to a Gateway of this controller\n" +
             explain_lost_parents(objects, gateways, *object);
  }
  if (out.empty())
    return fail(ErrorCode::not_found,
                "there is no route " + printable(key.to_string()) + "; name it as NAMESPACE/NAME");
  return out;
}

}  // namespace fairway::gateway
