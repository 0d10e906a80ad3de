// SPDX-License-Identifier: Apache-2.0

// Asks an update service which of its channels have a release.
#pragma once

#include <chrono>
#include <vector>

#include "adm/other_channels.h"
#include "cli/adm/cluster.h"
#include "cli/adm/upstream.h"
#include "openshift/channel.h"
#include "openshift/cluster_version.h"

namespace fairway::cli {

/// Looks for the cluster's release in each channel of `channels` or, if there are none, in each channel of
/// the list of the service at `spec.upstream`, for at most `limit` in all. Several channels are asked at
/// once, and each has its share of the time.
adm::ChannelSearch search_channels(const Cluster& cluster, const UpstreamFlags& flags,
                                   const openshift::ClusterVersion& version,
                                   const std::vector<openshift::Channel>& channels,
                                   std::chrono::seconds limit = std::chrono::seconds(10));

}  // namespace fairway::cli
