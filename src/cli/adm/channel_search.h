// Asks an update service which of its channels have a release.
#pragma once

#include <chrono>
#include <vector>

#include "client/other_channels.h"
#include "openshift/channel.h"
#include "openshift/cluster_version.h"

namespace fairway::cli {

/// Looks for the cluster's release in each channel of `channels`, or without them in each of the list of the
/// service at `spec.upstream`, for at most `limit` in all.
client::ChannelSearch search_channels(const openshift::ClusterVersion& cluster,
                                      const std::vector<openshift::Channel>& channels,
                                      std::chrono::seconds limit = std::chrono::seconds(10));

}  // namespace fairway::cli
