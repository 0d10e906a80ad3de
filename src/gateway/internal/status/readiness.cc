#include "gateway/internal/status/readiness.h"

#include <algorithm>

#include "base/digest.h"
#include "gateway/internal/translation/envoy_names.h"
#include "k8s/core.h"

namespace fairway::gateway {

namespace {

using xds::ResourceName;
using xds::Type;

constexpr std::string_view listeners_path = "status.listeners";

bool says_ready(const k8s::View& entry, std::string_view path) {
  const auto condition = k8s::find_condition(entry, "Ready", path);
  return condition && condition->is_true();
}

/// The configuration that a listener of HTTP tells of itself.
std::string own_configuration(const json::Object& listener) {
  return std::string(k8s::View(listener).text("metadata.filter_metadata.fairway.configuration"));
}

/// A name that the listener's chain of filters is for.
std::string server_name_of(const Listener& listener) {
  if (listener.hostname.empty()) return std::string(probe_host);
  if (!listener.hostname.starts_with("*.")) return listener.hostname;
  return "fairway-ready" + listener.hostname.substr(1);
}

std::vector<std::string> certificates_of(const Objects& objects, const Listener& listener) {
  std::vector<std::string> certificates;
  for (const ObjectRef& ref : listener.spec.certificates()) {
    const k8s::Dynamic* found =
        objects.find("", "Secret", ref.namespace_name(listener.owner->namespace_name()), ref.name());
    if (found == nullptr) continue;
    certificates.push_back(k8s::Secret(found->json()).data("tls.crt").value_or(""));
  }
  return certificates;
}

}  // namespace

Owner owner_of(const k8s::Dynamic& object) {
  return {std::string(object.kind()), object.key()};
}

ReadyParts ready_parts_of(const k8s::Dynamic& object) {
  ReadyParts parts{.itself = says_ready(object, "status.conditions")};
  for (const k8s::View& entry : object.items(listeners_path)) {
    if (says_ready(entry, "conditions")) parts.listeners.emplace(entry.text("name"));
  }
  return parts;
}

ReadyParts ready_parts_of(const Report& report) {
  ReadyParts parts{.itself = report.own && report.own->is_true("Ready")};
  if (!report.listeners) return parts;
  for (const ListenerReport& listener : *report.listeners) {
    if (listener.verdicts.is_true("Ready")) parts.listeners.insert(listener.name);
  }
  return parts;
}

Served served_by(const GatewayStates& gateways, Translation translation,
                 const std::set<std::string>& asked_for, KnownResources& known) {
  DiscoveryResources made = discovery_resources(std::move(translation), asked_for, known);
  Served served{.resources = std::move(made.resources), .needs = std::move(made.needs)};
  const bool is_wanted =
      std::ranges::any_of(gateways.gateways, [](const auto& one) { return one.parameters.ready; });
  // To hash costs time, and nobody asks.
  if (!is_wanted) return served;
  for (const auto& [name, needs] : served.needs) {
    const auto listener = served.resources.find({Type::listener, name});
    if (listener == served.resources.end()) continue;
    std::string text = json::to_text(listener->second.rest());
    for (const ResourceName& need : needs) {
      if (need.type == Type::secret) text += json::to_text(served.resources.at(need).rest());
    }
    served.configurations.emplace(name, sha256_hex(text));
  }
  for (const GatewayState& gateway : gateways.gateways) {
    for (const Listener& listener : gateway.listeners) {
      Served::Place place{.port = listener.spec.port()};
      for (const std::string& name : listener_names(gateway, listener)) {
        if (listener.is_accepted() && served.configurations.contains(name)) place.names.insert(name);
      }
      if (!place.names.empty())
        served.places.emplace(std::pair(owner_of(*listener.owner), listener.spec.name()), std::move(place));
    }
  }
  return served;
}

std::set<ResourceName> hold_back(const ReadyWords& told, const Served& last, Served& next) {
  std::set<std::string> changing;
  for (const auto& [owner, parts] : told) {
    for (const std::string& name : parts.listeners) {
      const auto place = last.places.find({owner, name});
      if (place == last.places.end()) continue;
      for (const std::string& listener : place->second.names) {
        const auto now = next.configurations.find(listener);
        if (now == next.configurations.end() || now->second != last.configurations.at(listener))
          changing.insert(listener);
      }
    }
  }
  std::set<ResourceName> held;
  for (const std::string& listener : changing) {
    // Routes come with the listener that refers to them.
    for (const ResourceName& need : next.needs[listener]) {
      if (need.type != Type::listener && need.type != Type::route && need.type != Type::scope) continue;
      next.resources.erase(need);
      held.insert(need);
    }
    for (const ResourceName& need : last.needs.at(listener)) {
      const xds::Resource& was = last.resources.at(need);
      const auto [there, is_gone] = next.resources.try_emplace(need, was);
      // Clusters and endpoints change all the time; if they are still there, they are as they are.
      if (need.type == Type::cluster || need.type == Type::endpoints) continue;
      there->second = was;
      held.insert(need);
    }
    next.needs[listener] = last.needs.at(listener);
    next.configurations[listener] = last.configurations.at(listener);
  }
  for (const auto& [key, place] : last.places) {
    const bool is_held =
        std::ranges::any_of(place.names, [&](const auto& name) { return changing.contains(name); });
    if (is_held) next.places.insert_or_assign(key, place);
  }
  return held;
}

std::vector<Probe> probes_of(const Objects& objects, const GatewayState& gateway, const Listener& listener,
                             const Served& served, std::uint64_t session) {
  std::vector<Probe> probes;
  const std::string_view protocol = listener.spec.protocol();
  for (const std::string& address : addresses_of(gateway)) {
    const std::string name = listener_name(address, gateway, listener);
    const auto found = served.configurations.find(name);
    if (found == served.configurations.end()) continue;
    Probe probe{.address = address,
                .port = static_cast<std::uint16_t>(listener.spec.port()),
                .configuration = found->second,
                .session = session};
    if (protocol == "HTTP") {
      probe.kind = Probe::Kind::http;
      probe.configuration = own_configuration(served.resources.at({Type::listener, name}).rest());
    } else if (protocol == "HTTPS") {
      probe.kind = Probe::Kind::tls;
      probe.server_name = server_name_of(listener);
      probe.certificates = certificates_of(objects, listener);
    } else if (protocol == "UDP") {
      probe.kind = Probe::Kind::socket;
    }
    probes.push_back(std::move(probe));
  }
  return probes;
}

void withdraw_ready(k8s::Dynamic& object, const ReadyParts& parts, const Clock& clock) {
  const auto withdraw = [](k8s::Conditions& conditions) {
    if (conditions.is_true("Ready"))
      conditions.unknown("Ready", "Pending", "what is served changes, or was not seen to answer just now");
  };
  if (parts.itself) {
    k8s::Conditions conditions(object, conditions_of(Level::gateway), clock);
    withdraw(conditions);
  }
  std::vector<std::string> names;
  for (const k8s::View& entry : object.items(listeners_path)) names.emplace_back(entry.text("name"));
  for (std::size_t index = 0; index < names.size(); ++index) {
    if (!parts.listeners.contains(names[index])) continue;
    k8s::Conditions conditions(object, listeners_path, index, conditions_of(Level::listener), clock);
    withdraw(conditions);
  }
}

}  // namespace fairway::gateway
