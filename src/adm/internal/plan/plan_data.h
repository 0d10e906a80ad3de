// SPDX-License-Identifier: Apache-2.0

// A plan as data for programs.
#pragma once

#include <stop_token>

#include "adm/caller.h"
#include "adm/plan/cluster_facts.h"
#include "adm/plan/plan.h"
#include "adm/plan/show_plan.h"
#include "base/json.h"
#include "openshift/cluster_version.h"

namespace fairway::adm {

/// Returns the document of a plan, as docs/adm-upgrade-plan.md describes it, within the bounds of plan.h. It
/// ends early at a stop.
json::Object plan_data(const Plan& plan, const openshift::ClusterVersion& cluster, const ClusterFacts& facts,
                       const PlanOrigin& origin, const Caller& caller, const std::stop_token& stop);

}  // namespace fairway::adm
