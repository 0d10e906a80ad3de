// SPDX-License-Identifier: Apache-2.0

// The graphs that a plan goes over: those of an update service's channels, or of local graph data.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/adm/cluster.h"
#include "cli/adm/upstream.h"
#include "cli/graph/graph_inputs.h"
#include "graph/merged_graph.h"
#include "openshift/cluster_version.h"

namespace fairway::cli {

struct PlanGraphs {
  std::vector<graph::ChannelGraph> channels = {};
  /// Things that may be missing, each as a sentence without its full stop.
  std::vector<std::string> warnings = {};
};

struct PlanGraphFlags {
  /// URL of the service; empty: `spec.upstream`.
  std::string upstream = {};
  /// Channels to go over; empty: all that there are.
  std::vector<std::string> channels = {};
  /// Most bytes of the graphs of a service together: about ten times those of 72 real channels.
  std::size_t max_bytes = std::size_t{128} << 20;
  /// Graph data and releases, used in the place of a service if they are set.
  GraphInputs inputs = {};
  UpstreamFlags service = {};
};

/// Returns where a plan's updates come from: the folder of graph data, or the URL of the service without its
/// secrets; empty: no service is known.
std::string origin_of(const openshift::ClusterVersion& version, const PlanGraphFlags& flags);

/// Returns the cluster's architecture as graphs name it: "amd64" where it is not known.
std::string architecture_of_graphs(const openshift::ClusterVersion& version);

/// Returns the service that the operator asks, `spec.upstream` without its secrets, if --upstream names
/// another one; "" is the operator's default. std::nullopt: it is the same, or no service is asked.
std::optional<std::string> other_service_of(const openshift::ClusterVersion& version,
                                            const PlanGraphFlags& flags);

/// Returns the channels' graphs for the cluster's architecture. A service is asked for several graphs at
/// once, and for `limit` in all; channels without an answer are named in the warnings, and so are those whose
/// graphs have too many bytes. Channels whose names a shell could misread are left out. Errors: no service is
/// known, it gave no list of channels or no graph at all; graph data that cannot be read; such a name among
/// the flags.
Result<PlanGraphs> read_plan_graphs(const Cluster& cluster, const openshift::ClusterVersion& version,
                                    const PlanGraphFlags& flags, const std::stop_token& stop = {},
                                    std::chrono::seconds limit = std::chrono::seconds(60));

}  // namespace fairway::cli
