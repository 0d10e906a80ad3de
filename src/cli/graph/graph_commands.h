// The subcommands of `fairway graph`, one file each.
#pragma once

#include "cli/commands.h"

namespace fairway::cli {

// Each adds its command to `graph`; the context outlives both.

/// A channel's graph, or what a cluster at one version may do.
void add_graph_show(CLI::App& graph, Context& context);
/// Why an update is recommended, conditional, or not there.
void add_graph_explain(CLI::App& graph, Context& context);
/// Paths from one release to another over several updates.
void add_graph_path(CLI::App& graph, Context& context);
/// What new graph data changes for every cluster.
void add_graph_changes(CLI::App& graph, Context& context);
/// Releases that cannot reach their channel's highest release.
void add_graph_stranded(CLI::App& graph, Context& context);
/// The channels with their descriptions.
void add_graph_channels(CLI::App& graph, Context& context);
/// Accepts what a running service holds: a widening, or another image.
void add_graph_accept(CLI::App& graph, Context& context);

}  // namespace fairway::cli
