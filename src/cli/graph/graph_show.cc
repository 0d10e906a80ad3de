// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cli/graph/graph_commands.h"
#include "cli/graph/graph_inputs.h"
#include "cli/graph/render_svg.h"
#include "command_line/terminal.h"
#include "graph/asked_version.h"
#include "graph/picture.h"

namespace fairway::cli {

namespace {

struct GraphShowOptions {
  GraphInputs inputs;
  std::string channel, from, to, output;
};

/// An update from (or to) one release: the other end, and its risks (nullptr: recommended to all).
struct Update {
  std::uint32_t other = 0;
  const std::vector<graph::Risk>* risks = nullptr;
};

std::vector<Update> updates_of(const graph::UpdateGraph& graph, std::uint32_t node, bool out) {
  std::vector<Update> updates;
  const auto add = [&](const graph::IndexPair& edge, const std::vector<graph::Risk>* risks) {
    if ((out ? edge.first : edge.second) == node) updates.push_back({out ? edge.second : edge.first, risks});
  };
  for (const auto& edge : graph.edges) add(edge, nullptr);
  for (const auto& group : graph.conditional_edges) {
    for (const auto& edge : group.edges) add(edge, &group.risks);
  }
  // Highest first, as people look for it.
  std::ranges::sort(updates, [](const Update& a, const Update& b) { return a.other > b.other; });
  return updates;
}

std::string updates_text(const graph::UpdateGraph& graph, const std::vector<Update>& updates,
                         const Style& style) {
  std::vector<std::vector<std::string>> rows;
  std::string conditional;
  for (const Update& update : updates) {
    const graph::Node& node = graph.nodes[update.other];
    if (!update.risks) {
      rows.push_back({"  " + style.green(node.version), printable(node.payload, 1000)});
      continue;
    }
    conditional += "  " + style.yellow(node.version) + "  " + printable(node.payload, 1000) + "\n";
    for (const graph::Risk& risk : *update.risks) conditional += describe_risk(risk, 4);
  }
  std::string out = style.bold("Recommended") + "\n" + (rows.empty() ? "  none\n" : table(rows));
  if (!conditional.empty()) {
    out += "\n" + style.bold("Recommended only to clusters that none of these risks concerns") + "\n" +
           conditional;
  }
  return out;
}

/// Returns every release with its numbers of edges, then every risk.
std::string overview(const graph::UpdateGraph& graph, const std::string& description, const Style& style) {
  struct Counts {
    std::size_t out = 0, out_conditional = 0, in = 0, in_conditional = 0;
  };
  std::vector<Counts> counts(graph.nodes.size());
  for (const auto& [from, to] : graph.edges) {
    ++counts[from].out;
    ++counts[to].in;
  }
  std::map<std::pair<std::string, std::string>, std::size_t> risks;
  std::size_t conditional = 0;
  for (const auto& group : graph.conditional_edges) {
    conditional += group.edges.size();
    for (const graph::Risk& risk : group.risks) risks[{risk.name, risk.url}] += group.edges.size();
    for (const auto& [from, to] : group.edges) {
      ++counts[from].out_conditional;
      ++counts[to].in_conditional;
    }
  }
  std::string out = count(graph.nodes.size(), "release") + ", " +
                    count(graph.edges.size(), "recommended update") + ", " +
                    count(conditional, "conditional one") + "\n" + paragraph(description, 0);
  if (graph.nodes.empty()) return out;
  std::vector<std::vector<std::string>> rows{
      {"VERSION", "UPDATES TO", "CONDITIONAL", "REACHED FROM", "CONDITIONAL"}};
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Counts& c = counts[i];
    rows.push_back({graph.nodes[i].version, std::to_string(c.out), std::to_string(c.out_conditional),
                    std::to_string(c.in), std::to_string(c.in_conditional)});
  }
  out += "\n" + table(rows);
  if (!risks.empty()) {
    rows = {{"RISK", "UPDATES", "URL"}};
    for (const auto& [risk, edges] : risks) {
      rows.push_back({printable(risk.first), std::to_string(edges), printable(risk.second, 1000)});
    }
    out += "\n" + table(rows);
  }
  out += "\n" + style.dim("--from VERSION shows what a cluster at that version may do.") + "\n";
  return out;
}

Result<std::string> as_table(const graph::Snapshot& snapshot, const graph::UpdateGraph& graph,
                             const GraphShowOptions& options) {
  const Style style;
  const auto& inputs = options.inputs;
  std::string head = "Channel " + style.bold(options.channel) + " (" + inputs.arch + ")";
  if (options.from.empty() && options.to.empty()) {
    const auto& channel = snapshot.channels[*snapshot.find_channel(options.channel)];
    return head + ": " + overview(graph, channel.description, style);
  }
  const bool out = !options.from.empty();
  const std::string& version = out ? options.from : options.to;
  const auto node = graph.find(version);
  if (!node) {
    return fail(ErrorCode::not_found, "release " + printable(version) + " is not in channel " +
                                          options.channel + " (" + inputs.arch +
                                          "); `fairway graph explain` says why");
  }
  auto updates = updates_of(graph, *node, out);
  if (out && !options.to.empty()) {
    std::erase_if(updates,
                  [&](const Update& update) { return graph.nodes[update.other].version != options.to; });
  }
  head += out ? ": what a cluster at " + style.bold(version) + " may move to"
              : ": what may move to " + style.bold(version);
  return head + "\n\n" + updates_text(graph, updates, style);
}

int run(GraphShowOptions options) {
  // As graph data names releases, too: 4.6.23+amd64.
  for (std::string* version : {&options.from, &options.to})
    *version = graph::without_architecture(*version, options.inputs.arch);
  const bool json = options.output == "json";
  if (json && !(options.from.empty() && options.to.empty())) {
    return report({ErrorCode::invalid,
                   "-o json prints the whole body as the service sends it: leave --from and --to out"},
                  exit_usage);
  }
  const auto snapshot = load_snapshot(options.inputs);
  if (!snapshot) return report(snapshot.error());
  warn_of_problems(**snapshot);
  auto known = require_channel(**snapshot, options.channel);
  if (known) known = require_architecture(**snapshot, options.inputs.arch);
  const graph::UpdateGraph graph = (*snapshot)->channel_graph(options.channel, options.inputs.arch);
  if (json) {
    // An unknown channel has an empty graph, as it has on the wire.
    if (!known) warn(known.error().message);
    print(graph::to_cincinnati_json(graph));
    return exit_ok;
  }
  if (!known) return report(known.error());
  Result<std::string> text;
  if (options.output == "table") {
    text = as_table(**snapshot, graph, options);
  } else {
    const auto format =
        options.output == "mermaid" ? graph::PictureFormat::mermaid : graph::PictureFormat::dot;
    text = graph::draw(graph, format,
                       {.from = options.from,
                        .to = options.to,
                        .title = options.channel + " (" + options.inputs.arch + ")"});
    if (text && options.output == "svg") text = render_svg(*text);
  }
  if (!text) return report(text.error());
  print(*text);
  return exit_ok;
}

}  // namespace

void add_graph_show(CLI::App& graph, Context& context) {
  auto options = std::make_shared<GraphShowOptions>();
  CLI::App* command =
      add_command(graph, context, "show", "Show a channel's graph, or what a cluster at one version may do",
                  "fairway graph show --graph-data examples/graph-data --releases examples/releases.json "
                  "--channel stable-4.7 "
                  "--from 4.6.23",
                  [options] { return run(*options); });
  command->add_option("--channel", options->channel, "The channel")->type_name("NAME")->required();
  command->add_option("--from", options->from, "Only what a cluster at this version may move to")
      ->type_name("VERSION");
  command->add_option("--to", options->to, "Only what may move to this version")->type_name("VERSION");
  add_output_option(*command, options->output, {"table", "json", "dot", "mermaid", "svg"});
  add_graph_inputs(*command, options->inputs);
}

}  // namespace fairway::cli
