// SPDX-License-Identifier: Apache-2.0

// `adm upgrade`: what a cluster runs, and what it may be updated to.
#pragma once

#include <string>
#include <vector>

#include "adm/answer.h"
#include "adm/caller.h"
#include "openshift/channel.h"
#include "openshift/cluster_version.h"

namespace fairway::adm {

struct ShowFlags {
  /// True if updates that are supported, but not recommended for this cluster, are shown, too.
  bool include_not_recommended = false;
  /// True if the URL and the channels of each release are shown.
  bool wide = false;
  Caller caller = {};
};

/// Shows the state of a ClusterVersion and its updates, the highest first. Problems of retrieval are warnings
/// on standard error. `channels` are the Channel objects of the cluster, for their descriptions; empty if the
/// cluster has none.
CommandResult show(const ShowFlags& flags, const openshift::ClusterVersion& cluster,
                   const std::vector<openshift::Channel>& channels = {});

/// Returns the answer of a command if the cluster has no ClusterVersion. The error begins with "No", or with
/// "no" in commands other than `adm upgrade` and `recommend`.
CommandResult no_cluster_version_answer(bool capital = true);

}  // namespace fairway::adm
