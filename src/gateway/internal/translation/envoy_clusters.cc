// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/translation/envoy_clusters.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "gateway/internal/attachment/endpoints.h"
#include "gateway/internal/attachment/policies.h"
#include "gateway/internal/objects/references.h"
#include "gateway/internal/translation/envoy_connections.h"
#include "gateway/internal/translation/envoy_headers.h"
#include "gateway/internal/translation/envoy_json.h"
#include "gateway/internal/translation/envoy_tls.h"
#include "k8s/kinds/service.h"

namespace fairway::gateway {

namespace {

/// Returns the circuit breakers of a cluster. Envoy's defaults are 1,024 connections and requests at a time,
/// and three retries; requests beyond them are answered with 503, which no route asks for.
json::Object limits(std::uint32_t max_connections) {
  const std::uint64_t requests = std::uint64_t{max_connections} * requests_per_connection;
  return {{"thresholds", json::Array{json::Object{{"max_connections", max_connections},
                                                  {"max_pending_requests", requests},
                                                  {"max_requests", requests},
                                                  {"max_retries", requests}}}}};
}

json::Object cluster(const std::string& name, const EndpointPolicy& policy, bool is_http2, ClusterUse use,
                     std::optional<json::Object> tls,
                     const std::set<std::pair<std::string, std::int64_t>>& endpoints) {
  json::Array addresses;
  for (const auto& [address, port] : endpoints) addresses.push_back(endpoint_at(address, port));
  json::Object made{
      {"name", name},
      {"type", "STATIC"},
      {"connect_timeout", "5s"},
      {"circuit_breakers", limits(policy.max_connections)},
      {"load_assignment",
       json::Object{{"cluster_name", name},
                    {"endpoints", json::Array{json::Object{{"lb_endpoints", std::move(addresses)}}}}}}};
  if (policy.keepalive.count() > 0) made["upstream_connection_options"] = backend_keepalive(policy.keepalive);
  if (tls) made["transport_socket"] = *std::move(tls);
  if (is_http2 || use == ClusterUse::copies) {
    const char* const version = is_http2 ? "http2_protocol_options" : "http_protocol_options";
    json::Object options{{"explicit_http_config", json::Object{{version, json::Object{}}}}};
    if (use == ClusterUse::copies) {
      options["http_filters"] = filters_of_mirrored();
      options["common_http_protocol_options"] = mirror_limit();
    }
    constexpr std::string_view type = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions";
    made["typed_extension_protocol_options"] = json::Object{{type, any(type, std::move(options))}};
  }
  return made;
}

std::string make_cluster(const BackendsOf& backends, const ObjectRef& ref, ClusterUse use) {
  const auto& [objects, gateway, route, kind, has_policies, out, names, asked] = backends;
  if (backend_problem(objects, kind, route.namespace_name(), ref)) return {};
  const std::string_view in = ref.namespace_name(route.namespace_name());
  const k8s::Dynamic* object = objects.find("", "Service", in, ref.name());
  const k8s::Service service(object->json());
  const std::string_view protocol = kind == RouteKind::udp ? "UDP" : "TCP";
  const auto ports = service.ports();
  const auto port = std::ranges::find_if(
      ports, [&](const auto& one) { return one.port() == *ref.port() && one.protocol() == protocol; });
  if (port == ports.end()) return {};
  const BackendPolicy policy =
      has_policies ? policy_for(objects, in, ref.name(), port->name()) : BackendPolicy{};
  const bool has_tls = policy.policy != nullptr;
  // Nobody is spoken to in the clear, or without being asked who they are, where a policy says otherwise.
  if (has_tls && (!policy.is_usable || gateway.unresolved)) return {};
  const bool is_http2 =
      kind == RouteKind::grpc || (kind == RouteKind::http && port->app_protocol() == "kubernetes.io/h2c");
  std::string name = std::string(in) + "/" + std::string(ref.name()) + ":" + std::to_string(*ref.port());
  if (kind == RouteKind::udp) name += ":udp";
  if (is_http2) name += ":h2";
  if (has_tls) name += ":tls";
  if (use == ClusterUse::copies) name += ":mirror";
  // With the Gateway's own certificate.
  if (has_tls && gateway.object->has("spec.tls.backend.clientCertificateRef"))
    name += "@" + gateway.object->key().to_string();
  if (out.clusters.contains(name)) return name;
  std::optional<json::Object> tls;
  if (has_tls) tls = backend_tls(objects, *gateway.object, *policy.policy, is_http2, out);
  // Without an endpoint, too: Envoy answers with 503 then, which Gateway API asks for. An error of the
  // reference is 500.
  out.clusters.emplace(name, cluster(name, gateway.endpoints, is_http2, use, std::move(tls),
                                     endpoints_of(objects, gateway.endpoints, *object, *port)));
  return name;
}

}  // namespace

std::string ClusterNames::find(const BackendsOf& backends, const ObjectRef& ref, ClusterUse use) {
  std::string key;
  const auto add = [&](std::string_view text) { (key += std::to_string(text.size())) += ':', key += text; };
  add(to_string(backends.kind));
  key += backends.has_policies ? 'p' : '-';
  key += use == ClusterUse::copies ? 'c' : 'r';
  for (const k8s::Dynamic* one : {backends.gateway.object, &backends.route}) add(one->namespace_name());
  add(backends.gateway.object->name());
  add(ref.group());
  add(ref.kind("Service"));
  add(ref.namespace_name(backends.route.namespace_name()));
  add(ref.name());
  if (const auto port = ref.port()) key += std::to_string(*port);
  const auto [place, is_new] = names_.try_emplace(std::move(key));
  if (is_new) place->second = make_cluster(backends, ref, use);
  return place->second;
}

std::string add_cluster(const BackendsOf& backends, const ObjectRef& ref, ClusterUse use) {
  std::string name =
      backends.names != nullptr ? backends.names->find(backends, ref, use) : make_cluster(backends, ref, use);
  if (backends.asked != nullptr) backends.asked->push_back({ref, name, use});
  return name;
}

json::Array weighted_clusters(const BackendsOf& backends, const k8s::View& rule) {
  json::Array all;
  for (const k8s::View& backend : rule.items("backendRefs")) {
    const std::int64_t weight = backend.integer("weight", 1);
    if (weight < 1) continue;
    std::string cluster = add_cluster(backends, ObjectRef(backend.json()));
    if (cluster.empty()) cluster = no_cluster;
    all.push_back(json::Object{{"name", cluster}, {"weight", weight}});
  }
  return all;
}

void add_combined_cluster(const std::string& name, const json::Array& clusters, const EndpointPolicy& policy,
                          Translation& out) {
  json::Array localities;
  for (const json::Value& one : clusters) {
    const json::Object& part = one.get_object();
    const auto found = out.clusters.find(std::string(part.at("name").get_string()));
    json::Value endpoints;
    if (found != out.clusters.end())
      endpoints = found->second.at("load_assignment").at("endpoints").at(0).at("lb_endpoints");
    // The broadcast address, which takes an option that Envoy does not set.
    if (!endpoints.is_array() || endpoints.get_array().empty())
      endpoints = json::Array{endpoint_at("255.255.255.255", 9)};
    localities.push_back(json::Object{{"locality", json::Object{{"zone", std::to_string(localities.size())}}},
                                      {"load_balancing_weight", part.at("weight")},
                                      {"lb_endpoints", std::move(endpoints)}});
  }
  json::Object made = cluster(name, policy, false, ClusterUse::requests, std::nullopt, {});
  made["common_lb_config"] = json::Object{{"locality_weighted_lb_config", json::Object{}}};
  made["load_assignment"] = json::Object{{"cluster_name", name}, {"endpoints", std::move(localities)}};
  out.clusters.insert_or_assign(name, std::move(made));
}

}  // namespace fairway::gateway
