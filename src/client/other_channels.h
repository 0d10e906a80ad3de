// Where a release is, when it is not in the channel of the cluster.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "client/answer.h"
#include "openshift/cluster_version.h"

namespace fairway::client {

/// What the update service said about its channels.
struct ChannelSearch {
  /// The channels that have the release.
  std::vector<std::string> found;
  /// How many were asked.
  std::size_t asked = 0;
  /// The descriptions of channels, as far as they are known.
  std::map<std::string, std::string> descriptions;
  /// Why not all were asked, or none; empty: all were.
  std::string problem;
};

/// Whether the operator says that the release is not in the channel (RetrievedUpdates=False,
/// VersionNotFound).
bool is_outside_channel(const openshift::ClusterVersion& cluster);

/// The architecture that the update service knows the cluster's release by: "amd64", "multi"; empty if the
/// ClusterVersion does not say.
std::string architecture_of(const openshift::ClusterVersion& cluster);

/// Says where the release is (OpenShift enhancement channel-metadata, section Recovering from unknown
/// versions), or on standard error why that is not known.
void add_other_channels(const ChannelSearch& search, const openshift::ClusterVersion& cluster,
                        Answer& answer);

}  // namespace fairway::client
