// SPDX-License-Identifier: Apache-2.0

// The subcommands of `fairway graph`, one file each.
#pragma once

#include "cli/commands.h"

namespace fairway::cli {

// Each adds its command to `graph`; the context outlives both.

/// Adds `show`: a channel's graph, or the updates of a cluster at one version.
void add_graph_show(CLI::App& graph, Context& context);
/// Adds `explain`: the reason why an update is recommended, conditional, or missing.
void add_graph_explain(CLI::App& graph, Context& context);
/// Adds `path`: paths from one release to another over several updates.
void add_graph_path(CLI::App& graph, Context& context);
/// Adds `changes`: the effect of new graph data on clusters.
void add_graph_changes(CLI::App& graph, Context& context);
/// Adds `stranded`: releases that cannot reach their channel's highest release.
void add_graph_stranded(CLI::App& graph, Context& context);
/// Adds `channels`: the channels with their descriptions.
void add_graph_channels(CLI::App& graph, Context& context);
/// Adds `accept`: accepts what a running service holds back, a widening or another image.
void add_graph_accept(CLI::App& graph, Context& context);

}  // namespace fairway::cli
