// SPDX-License-Identifier: Apache-2.0

// The wishes of the objects of one moment, and what Envoys are given of them.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "gateway/internal/model/gateway.h"
#include "gateway/internal/model/route.h"
#include "gateway/internal/objects/objects.h"
#include "gateway/internal/status/readiness.h"
#include "gateway/internal/translation/served.h"
#include "k8s/object.h"
#include "xds/resource.h"

namespace fairway::gateway {

/// The resources that Envoy's listeners need, by the listeners' names.
using Needs = std::map<std::string, std::set<xds::ResourceName>>;

struct Evaluation {
  Objects objects;
  /// The Gateways, which refer to the objects; the routes refer to the Gateways.
  GatewayStates gateways;
  std::deque<RouteState> routes;
  /// Classes, Gateways and ListenerSets, held so that no others are at their addresses; and the revisions of
  /// the other kinds that decide to what routes are attached.
  std::vector<std::shared_ptr<const k8s::Dynamic>> parents = {};
  std::vector<std::uint64_t> revisions = {};

  /// Objects of which a status says, or may say, Ready=True.
  PublishedReadiness published = {};
  Needs needs = {};
  /// Resources that are held back from Envoys.
  std::set<xds::ResourceName> held = {};
  /// The names of RouteConfigurations that Envoys were given, or asked for when it was decided.
  std::set<std::string> routes_known = {};
  /// The resources that Envoys are given; nullptr where no listener is served that may be Ready.
  std::shared_ptr<const Served> served = {};
};

}  // namespace fairway::gateway
