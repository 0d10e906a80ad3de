// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "cli/graph/graph_commands.h"
#include "cli/graph/graph_inputs.h"
#include "cli/graph/print_picture.h"
#include "command_line/terminal.h"
#include "graph/paths.h"

namespace fairway::cli {

namespace {

struct GraphStrandedOptions {
  GraphInputs inputs;
  std::string channel, output;
};

std::string as_text(const GraphStrandedOptions& options, const graph::Stranded& stranded) {
  const Style style;
  std::string out = "Channel " + style.bold(options.channel) + " (" + options.inputs.arch + "): ";
  if (stranded.highest.empty()) return out + "no releases\n";
  out += "its highest release is " + style.bold(stranded.highest) + "\n";
  if (stranded.stranded.empty()) return out + "Every release reaches it over recommended updates.\n";
  std::string over_conditional, stuck;
  for (const std::string& version : stranded.stranded) {
    const bool is_stuck = std::ranges::find(stranded.stuck, version) != stranded.stuck.end();
    (is_stuck ? stuck : over_conditional) += "  " + version + "\n";
  }
  if (!over_conditional.empty()) {
    out += "\n" + style.yellow("Stranded") + ": they reach it only over conditional updates\n" +
           over_conditional;
  }
  if (!stuck.empty()) out += "\n" + style.red("Stuck") + ": they do not reach it at all\n" + stuck;
  return out;
}

/// Returns the updates among and from the releases that do not reach the highest one.
std::vector<graph::DrawnUpdate> updates_of(const graph::UpdateGraph& graph, const graph::Stranded& stranded) {
  std::vector<graph::DrawnUpdate> updates;
  const auto is_stranded = [&](const graph::IndexPair& edge) {
    return std::ranges::find(stranded.stranded, graph.nodes[edge.first].version) != stranded.stranded.end();
  };
  const auto add = [&](const graph::IndexPair& edge, const std::vector<graph::Risk>& risks) {
    if (!is_stranded(edge)) return;
    graph::DrawnUpdate update{.from = graph.nodes[edge.first].version,
                              .to = graph.nodes[edge.second].version,
                              .dashed = !risks.empty()};
    for (const graph::Risk& risk : risks) update.labels.push_back(risk.name);
    updates.push_back(std::move(update));
  };
  for (const auto& edge : graph.edges) add(edge, {});
  for (const auto& group : graph.conditional_edges) {
    for (const auto& edge : group.edges) add(edge, group.risks);
  }
  return updates;
}

int run(const GraphStrandedOptions& options) {
  const auto snapshot = load_snapshot(options.inputs);
  if (!snapshot) return report(snapshot.error());
  warn_of_problems(**snapshot);
  auto known = require_channel(**snapshot, options.channel);
  if (known) known = require_architecture(**snapshot, options.inputs.arch);
  if (!known) return report(known.error());
  const graph::UpdateGraph graph = (*snapshot)->channel_graph(options.channel, options.inputs.arch);
  const graph::Stranded stranded = graph::find_stranded(graph);
  if (is_picture(options.output)) {
    std::vector<std::string> marked = stranded.stranded;
    if (!stranded.highest.empty()) marked.push_back(stranded.highest);
    return print_picture(options.output, updates_of(graph, stranded), marked,
                         options.channel + " (" + options.inputs.arch +
                             "): " + (stranded.stranded.empty() ? "nobody is stranded" : "who is stranded"));
  }
  print(options.output == "json" ? json::to_text(stranded.to_json()) : as_text(options, stranded));
  return exit_ok;
}

}  // namespace

void add_graph_stranded(CLI::App& graph, Context& context) {
  auto options = std::make_shared<GraphStrandedOptions>();
  CLI::App* command = add_command(graph, context, "stranded",
                                  "List releases that cannot reach their channel's highest release",
                                  "fairway graph stranded --graph-data examples/graph-data --releases "
                                  "examples/releases.json --channel stable-4.7",
                                  [options] { return run(*options); });
  command->add_option("--channel", options->channel, "The channel")->type_name("NAME")->required();
  add_output_option(*command, options->output, {"table", "json", "dot", "mermaid", "svg"});
  add_graph_inputs(*command, options->inputs);
}

}  // namespace fairway::cli
