// What has been said of Ready, and what Envoys must not be given before it has been taken back.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/clock.h"
#include "gateway/internal/attachment/evaluate.h"
#include "gateway/internal/attachment/gateways.h"
#include "gateway/internal/probes/probe.h"
#include "gateway/internal/translation/discovery_resources.h"
#include "gateway/internal/translation/translate.h"
#include "xds/resource.h"

namespace fairway::gateway {

/// A Gateway or a ListenerSet, by kind and name.
struct Owner {
  std::string kind;
  k8s::Key key;
  auto operator<=>(const Owner&) const = default;
  bool operator==(const Owner&) const = default;
};
Owner owner_of(const k8s::Dynamic& object);

/// Of what Ready is, or was, said to be True.
struct ReadyParts {
  bool itself = false;
  std::set<std::string> listeners = {};
  bool empty() const { return !itself && listeners.empty(); }
};
using ReadyWords = std::map<Owner, ReadyParts>;

/// What a status says.
ReadyParts ready_parts_of(const k8s::Dynamic& object);
/// What a report will say.
ReadyParts ready_parts_of(const Report& report);

/// What Envoys are given.
struct Served {
  /// Where a listener is: the names of Envoy's listeners, and the port.
  struct Place {
    std::set<std::string> names;
    std::int64_t port = 0;
  };
  xds::Resources resources = {};
  /// By Envoy's listeners: what each needs, and a hash of itself and its key pairs. Routes, clusters and
  /// endpoints are not in the hash: they change while traffic flows.
  std::map<std::string, std::set<xds::ResourceName>> needs = {};
  std::map<std::string, std::string> configurations = {};
  /// By owner and the listener's name.
  std::map<std::pair<Owner, std::string>, Place> places = {};
};

/// `asked_for` as in `discovery_resources`.
Served served_by(const GatewayStates& gateways, Translation translation,
                 const std::set<std::string>& asked_for, KnownResources& known);

/// Keeps Envoy's listeners as they were in `last` that Ready is said of, and that change or go in `next`: who
/// has read Ready=True may be using them. It returns the resources that are not what the objects ask for.
std::set<xds::ResourceName> hold_back(const ReadyWords& told, const Served& last, Served& next);

/// The probes that show whether a listener is ready: one for each address.
std::vector<Probe> probes_of(const Objects& objects, const GatewayState& gateway, const Listener& listener,
                             const Served& served, std::uint64_t session);

/// Makes Ready Unknown where `parts` has it and a status says True.
void withdraw_ready(k8s::Dynamic& object, const ReadyParts& parts, const Clock& clock);

}  // namespace fairway::gateway
