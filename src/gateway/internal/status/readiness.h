// What has been said of Ready, and what Envoys must not be given before it has been taken back.
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

/// Keeps Envoy's listeners as they were in `last` that Ready is said of, and that change or go in `next`: who
/// has read Ready=True may be using them. It returns the resources that are not what the objects ask for.
std::set<xds::ResourceName> hold_back(const ReadyWords& told, const Served& last, Served& next);

/// Returns of what a status says, or may say, Ready=True. `own`: of what this controller has written it, or
/// may have; a status is read back later than it is written.
ReadyWords read_told(const Objects& objects, const GatewayStates& gateways, const ReadyWords& own);

/// Returns of what Ready is to be taken back: `told` has it, and it is not known to be so.
std::map<const k8s::Dynamic*, ReadyParts> unready_of(const Objects& objects, const GatewayStates& gateways,
                                                     const Answers& answers, const ReadyWords& told);

/// Makes Ready Unknown where `parts` has it and a status says True.
void withdraw_ready(k8s::Dynamic& object, const ReadyParts& parts, const Clock& clock);

}  // namespace fairway::gateway
