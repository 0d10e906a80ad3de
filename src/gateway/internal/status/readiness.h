// SPDX-License-Identifier: Apache-2.0

// The published readiness, and the changes that Envoys must not get before it has been taken back.
#pragma once

#include <map>
#include <set>
#include <string>

#include "base/clock.h"
#include "gateway/internal/model/answers.h"
#include "gateway/internal/model/gateway.h"
#include "gateway/internal/model/owner.h"
#include "gateway/internal/objects/objects.h"
#include "gateway/internal/status/report.h"
#include "gateway/internal/translation/served.h"
#include "k8s/object.h"
#include "xds/resource.h"

namespace fairway::gateway {

/// The parts of an object whose Ready is, or was, True: the object itself, and listeners by name.
struct ReadyParts {
  bool itself = false;
  std::set<std::string> listeners = {};
  bool empty() const { return !itself && listeners.empty(); }
};
using PublishedReadiness = std::map<Owner, ReadyParts>;

/// Returns the parts that an object's status says are Ready.
ReadyParts ready_parts_of(const k8s::Dynamic& object);
/// Returns the parts that a report says are Ready.
ReadyParts ready_parts_of(const Report& report);

/// Keeps Envoy's listeners of `last` whose status says Ready=True and that `next` changes or removes: clients
/// that have read Ready=True may be using them. Returns the resources that therefore are not those that the
/// objects ask for.
std::set<xds::ResourceName> hold_back(const PublishedReadiness& published, const Served& last, Served& next);

/// Returns the objects whose status says, or may say, Ready=True. `own`: those of which this controller has
/// written it, or may have. A status is read back later than it is written.
PublishedReadiness read_published(const Objects& objects, const GatewayStates& gateways,
                                  const PublishedReadiness& own);

/// Returns the objects whose Ready has to be withdrawn: they are in `published`, and not known to be ready.
std::map<const k8s::Dynamic*, ReadyParts> unready_of(const Objects& objects, const GatewayStates& gateways,
                                                     const Answers& answers,
                                                     const PublishedReadiness& published);

/// Sets Ready to Unknown for the members of `parts` whose status says True.
void withdraw_ready(k8s::Dynamic& object, const ReadyParts& parts, const Clock& clock);

}  // namespace fairway::gateway
