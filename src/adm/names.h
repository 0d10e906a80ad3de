// Candidates for shell completion.
#pragma once

#include <string>
#include <vector>

#include "openshift/channel.h"
#include "openshift/cluster_version.h"

namespace fairway::adm {

/// The versions that the cluster may be updated to, recommended or not, the highest first.
std::vector<std::string> update_names(const openshift::ClusterVersion& cluster);

/// The channels that the release is in, and those that are described, in byte order.
std::vector<std::string> channel_names(const openshift::ClusterVersion& cluster,
                                       const std::vector<openshift::Channel>& channels);

/// Leaves out what a shell could take for more than a name: anything but letters, digits and `._+-`, or a `-`
/// at the front.
std::vector<std::string> safe_names(std::vector<std::string> names);

}  // namespace fairway::adm
