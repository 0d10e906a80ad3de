// The subcommands of `fairway graph`, one file each.
#pragma once

#include "cli/commands.h"

namespace fairway::cli {

void add_graph_show(CLI::App& graph, Context& context);
void add_graph_explain(CLI::App& graph, Context& context);
void add_graph_path(CLI::App& graph, Context& context);
void add_graph_changes(CLI::App& graph, Context& context);
void add_graph_stranded(CLI::App& graph, Context& context);
void add_graph_channels(CLI::App& graph, Context& context);
void add_graph_accept(CLI::App& graph, Context& context);

}  // namespace fairway::cli
