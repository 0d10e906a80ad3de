// SPDX-License-Identifier: Apache-2.0

// Services: their ports, and who may reach them.
#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "apiserver/internal/validation/calls.h"
#include "apiserver/internal/validation/field_rules.h"
#include "apiserver/internal/validation/formats.h"
#include "apiserver/internal/validation/ip_address.h"
#include "apiserver/internal/validation/pod_facts.h"
#include "base/text.h"

namespace fairway::apiserver::validation {
namespace {

constexpr std::string_view ranges_annotation = "service.beta.kubernetes.io/load-balancer-source-ranges";

/// Checks that the former annotation about topology says what its successor says.
void check_topology_annotations(const Scope& service) {
  constexpr std::string_view hints = "service.kubernetes.io/topology-aware-hints",
                             mode = "service.kubernetes.io/topology-mode";
  const Scope metadata = service.child("metadata");
  const k8s::StringMap annotations = metadata.map("annotations");
  const auto former = annotations.find(hints), now = annotations.find(mode);
  if (!former || !now || *former == *now) return;
  const Path path = metadata.path().child("annotations");
  service.other(service.json(), path.key(mode))
      .invalid(".", json::Value(*now),
               "must match annotations[" + std::string(hints) + "] when both are specified");
}

/// Checks the names of ports, and that no two are the same one.
void check_service_ports(const Scope& spec) {
  const bool needs_names = spec.list("ports").size() > 1;
  std::set<std::string_view> names;
  std::set<std::pair<std::string_view, std::int64_t>> node_ports, ports;
  spec.each("ports", [&](const Scope& port, std::size_t) {
    const std::string_view name = port.text("name"), protocol = port.text("protocol");
    if (!name.empty()) {
      port.faults("name", name, k8s::check_dns_label(name));
      if (!names.insert(name).second) port.duplicate("name", json::Value(name));
    } else if (needs_names) {
      port.required("name");
    }
    check_type("ServicePort", port);
    const std::int64_t on_node = port.integer("nodePort").value_or(0),
                       number = port.integer("port").value_or(0);
    if (on_node != 0 && !node_ports.emplace(protocol, on_node).second)
      port.duplicate("nodePort", json::Value(on_node));
    if (!ports.emplace(protocol, number).second)
      port.duplicate(".", json::Value(json::Object{{"protocol", protocol}, {"port", number}}));
  });
}

void check_session_affinity(const Scope& spec) {
  constexpr std::int64_t longest = 86'400;
  constexpr std::string_view when = "when session affinity type is ClientIP";
  const std::string_view affinity = spec.text("sessionAffinity");
  const bool has_config = spec.has("sessionAffinityConfig");
  if (affinity == "None" && has_config)
    spec.forbidden("sessionAffinityConfig", "must not be set when session affinity is None");
  if (affinity != "ClientIP") return;
  const Scope config = spec.child("sessionAffinityConfig"), client = config.child("clientIP");
  const auto seconds = client.integer("timeoutSeconds");
  if (!has_config) {
    spec.required("sessionAffinityConfig", when);
  } else if (!config.has("clientIP")) {
    config.required("clientIP", when);
  } else if (!seconds) {
    client.required("timeoutSeconds", when);
  } else if (*seconds <= 0 || *seconds > longest) {
    client.invalid("timeoutSeconds", json::Value(*seconds), "must be greater than 0 and less than 86400");
  }
}

/// Returns the texts of a list of the object before an update. What was accepted once may stay.
std::set<std::string_view> former_texts(const Scope& scope, std::string_view path) {
  std::set<std::string_view> made;
  if (scope.facts().old_object == nullptr) return made;
  for (const std::string_view text : k8s::View(*scope.facts().old_object).texts(path))
    made.insert(trim(text));
  return made;
}

void check_external_addresses(const Scope& spec) {
  const std::set<std::string_view> former = former_texts(spec, "spec.externalIPs");
  const Path path = spec.path().child("externalIPs");
  std::size_t index = 0;
  for (const std::string_view address : spec.texts("externalIPs")) {
    const Path item = path.item(index++);
    k8s::Faults faults = former.contains(address) ? k8s::Faults() : check_ip(address);
    if (faults.empty()) faults = check_reachable(address);
    add_faults(spec.errors(), item, address, faults);
  }
}

/// Checks the addresses of the clients of a balancer, which are a field or, formerly, an annotation.
void check_source_ranges(const Scope& service) {
  constexpr std::string_view only = "may only be used when `type` is 'LoadBalancer'";
  const Scope spec = service.child("spec"), metadata = service.child("metadata");
  const bool is_balanced = spec.text("type") == "LoadBalancer";
  if (!spec.list("loadBalancerSourceRanges").empty()) {
    constexpr std::string_view shown = "LoadBalancerSourceRanges";
    if (!is_balanced) spec.forbidden(shown, only);
    const std::set<std::string_view> former = former_texts(spec, "spec.loadBalancerSourceRanges");
    const Path path = spec.path().child(shown);
    std::size_t index = 0;
    for (const std::string_view padded : spec.texts("loadBalancerSourceRanges")) {
      const std::string_view range = trim(padded);
      const Path item = path.item(index++);
      if (!former.contains(range)) add_faults(spec.errors(), item, range, check_block(range));
    }
    return;
  }
  const auto annotation = metadata.map("annotations").find(ranges_annotation);
  if (!annotation) return;
  const Path annotations = metadata.path().child("annotations"), path = annotations.key(ranges_annotation);
  const Scope at = service.other(service.json(), path);
  if (!is_balanced) at.forbidden(".", only);
  const json::Object* old = service.facts().old_object;
  const auto before = old != nullptr ? k8s::View(*old).map("metadata.annotations").find(ranges_annotation)
                                     : std::optional<std::string_view>();
  if (before == annotation || trim(*annotation).empty()) return;
  for (const std::string_view padded : split(*annotation, ',')) {
    const std::string_view range = trim(padded);
    add_faults(service.errors(), path, range, check_block(range));
  }
}

constexpr std::array calls{
    NamedCall{"topology_annotations", &check_topology_annotations},
    NamedCall{"service_ports", &check_service_ports},
    NamedCall{"session_affinity", &check_session_affinity},
    NamedCall{"external_addresses", &check_external_addresses},
    NamedCall{"source_ranges", &check_source_ranges},
};

}  // namespace

std::span<const NamedCall> service_calls() {
  return calls;
}

}  // namespace fairway::apiserver::validation
