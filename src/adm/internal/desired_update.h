// SPDX-License-Identifier: Apache-2.0

// The patch of `spec.desiredUpdate`.
#pragma once

#include <string_view>

#include "base/json.h"
#include "openshift/cluster_version.h"

namespace fairway::adm {

struct DesiredUpdate {
  std::string_view architecture, version, image;
  bool force = false;
};

/// Returns {"spec": {"desiredUpdate": ...}} with all four members, so that the members of an earlier request
/// do not stay. `accept_risks` is kept as it is, if there is a list.
json::Object desired_update_patch(const DesiredUpdate& update, const json::Value* accept_risks);

/// Returns the risks that the cluster's admin has accepted; nullptr if there are none.
const json::Value* accepted_risks(const openshift::ClusterVersion& cluster);

}  // namespace fairway::adm
