// SPDX-License-Identifier: Apache-2.0

// Candidates for shell completion.
#pragma once

#include <string>
#include <vector>

#include "openshift/channel.h"
#include "openshift/cluster_version.h"

namespace fairway::adm {

/// Returns the versions that the cluster may be updated to, recommended or not, the highest first.
std::vector<std::string> update_names(const openshift::ClusterVersion& cluster);

/// Returns the channels that the release is in, and those that are described, in byte order.
std::vector<std::string> channel_names(const openshift::ClusterVersion& cluster,
                                       const std::vector<openshift::Channel>& channels);

/// Removes names that a shell could interpret: those with other characters than letters, digits and `._+-`,
/// or with a `-` at the front.
std::vector<std::string> safe_names(std::vector<std::string> names);

}  // namespace fairway::adm
