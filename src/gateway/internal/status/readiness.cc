// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/status/readiness.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "gateway/internal/status/conditions.h"
#include "k8s/conditions.h"

namespace fairway::gateway {

namespace {

using k8s::Dynamic;
using xds::ResourceName;
using xds::Type;

constexpr std::string_view listeners_path = "status.listeners";

bool says_ready(const k8s::View& entry, std::string_view path) {
  const auto condition = k8s::find_condition(entry, "Ready", path);
  return condition && condition->is_true();
}

/// Returns the object of an owner; nullptr: it does not exist any more.
const Dynamic* find_owner(const Objects& objects, const Owner& owner) {
  return objects.find(gateway_group, owner.kind, owner.key.namespace_name, owner.key.name);
}

}  // namespace

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

std::set<ResourceName> hold_back(const PublishedReadiness& published, const Served& last, Served& next) {
  std::set<std::string> changing;
  for (const auto& [owner, parts] : published) {
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

PublishedReadiness read_published(const Objects& objects, const GatewayStates& gateways,
                                  const PublishedReadiness& own) {
  PublishedReadiness published;
  std::set<Owner> judged;
  const auto read = [&](const Dynamic& object) {
    const Owner owner = owner_of(object);
    judged.insert(owner);
    ReadyParts parts = ready_parts_of(object);
    if (const auto found = own.find(owner); found != own.end()) {
      parts.itself = parts.itself || found->second.itself;
      parts.listeners.insert(found->second.listeners.begin(), found->second.listeners.end());
    }
    if (!parts.empty()) published.emplace(owner, std::move(parts));
  };
  for (const GatewayState& gateway : gateways.gateways) {
    read(*gateway.object);
    for (const ListenerSetState& set : gateway.sets) read(*set.object);
  }
  // Objects that belong to another controller now still have the readiness that this one published; any other
  // readiness of theirs is up to that controller.
  for (const auto& [owner, parts] : own) {
    if (!judged.contains(owner) && find_owner(objects, owner) != nullptr) published.emplace(owner, parts);
  }
  return published;
}

std::map<const Dynamic*, ReadyParts> unready_of(const Objects& objects, const GatewayStates& gateways,
                                                const Answers& answers, const PublishedReadiness& published) {
  std::map<const Dynamic*, ReadyParts> unready;
  std::set<Owner> judged;
  const auto record = [&](const GatewayState& gateway, const Dynamic& object) {
    const auto found = published.find(owner_of(object));
    if (found == published.end()) return;
    judged.insert(found->first);
    ReadyParts parts = found->second;
    for (const Listener& listener : gateway.listeners) {
      if (listener.owner == &object && answers.is_ready(listener))
        parts.listeners.erase(std::string(listener.spec.name()));
    }
    // It speaks of all listeners that there were, of those that are no more, too.
    if (answers.is_ready(gateway) && parts.listeners.empty()) parts.itself = false;
    if (!parts.empty()) unready.emplace(&object, std::move(parts));
  };
  for (const GatewayState& gateway : gateways.gateways) {
    record(gateway, *gateway.object);
    for (const ListenerSetState& set : gateway.sets) record(gateway, *set.object);
  }
  for (const auto& [owner, parts] : published) {
    if (judged.contains(owner)) continue;
    if (const Dynamic* object = find_owner(objects, owner)) unready.emplace(object, parts);
  }
  return unready;
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
