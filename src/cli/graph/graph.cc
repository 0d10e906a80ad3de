// SPDX-License-Identifier: Apache-2.0

#include "cli/graph/graph_commands.h"

namespace fairway::cli {

void add_graph(CLI::App& app, Context& context) {
  CLI::App* graph = app.add_subcommand("graph", "Show, explain and compare update graphs without a server");
  graph->require_subcommand(1);
  graph->footer(
      "Example: fairway graph explain --graph-data examples/graph-data --releases examples/releases.json "
      "--channel stable-4.7 --from 4.6.23 --to 4.7.4");
  add_graph_show(*graph, context);
  add_graph_explain(*graph, context);
  add_graph_path(*graph, context);
  add_graph_changes(*graph, context);
  add_graph_stranded(*graph, context);
  add_graph_channels(*graph, context);
  add_graph_accept(*graph, context);
}

}  // namespace fairway::cli
