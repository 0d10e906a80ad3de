// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/model/answers.h"

#include <algorithm>

namespace fairway::gateway {

namespace {

template <class Map, class Key>
const typename Map::mapped_type* find(const Map& map, const Key& key) {
  const auto found = map.find(key);
  return found != map.end() ? &found->second : nullptr;
}

}  // namespace

const Answers::ByPort& Answers::unprogrammed_ports(const GatewayState& gateway) const {
  static const ByPort none;
  const ByPort* const ports = find(unprogrammed, &gateway);
  return ports != nullptr ? *ports : none;
}

const k8s::ConditionError* Answers::unprogrammed_port(const GatewayState& gateway, std::int64_t port) const {
  return find(unprogrammed_ports(gateway), port);
}

const k8s::ConditionError* Answers::refused_certificate(const Listener& listener) const {
  return find(refused_certificates, &listener);
}

const Result<void>* Answers::probed_through(const Listener& listener) const {
  return find(probed, &listener);
}

const RefusedRules* Answers::refused_of(const ParentState& parent) const {
  return find(refused_rules, &parent);
}

bool Answers::is_ready(const Listener& listener) const {
  const Result<void>* const shown = probed_through(listener);
  return listener.is_accepted() && shown != nullptr && shown->has_value();
}

bool Answers::is_ready(const GatewayState& gateway) const {
  return gateway.is_accepted() && !gateway.unusable &&
         std::ranges::all_of(gateway.listeners, [&](const Listener& listener) {
           return listener.owner != gateway.object || is_ready(listener);
         });
}

}  // namespace fairway::gateway
