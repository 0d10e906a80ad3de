// SPDX-License-Identifier: Apache-2.0

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "cli/graph/graph_commands.h"
#include "cli/graph/graph_inputs.h"
#include "cli/graph/print_picture.h"
#include "command_line/terminal.h"
#include "graph/paths.h"

namespace fairway::cli {

namespace {

struct GraphPathOptions {
  GraphInputs inputs;
  std::vector<std::string> channels, avoid;
  std::string from, to, output;
};

std::string path_text(const std::string& title, const graph::Path& path) {
  const Style style;
  std::vector<std::vector<std::string>> rows;
  for (const graph::Hop& hop : path) {
    rows.push_back(
        {"  " + hop.from + " -> " + hop.to, hop.channel,
         hop.risks.empty() ? "recommended" : "at risk of: " + printable(join(hop.risks, ", "), 1000)});
  }
  return style.bold(title) + ": " + count(path.size(), "update") + "\n" + table(rows);
}

std::string as_text(const graph::PathAnswer& answer) {
  std::string out;
  for (std::size_t i = 0; i < answer.paths.size(); ++i)
    out += (i == 0 ? "" : "\n") + path_text("Path " + std::to_string(i + 1), answer.paths[i]);
  if (answer.fewest_risks) {
    const auto risks = graph::risks_of(*answer.fewest_risks).size();
    out += "\n" + path_text(risks == 0 ? "Longer, without any risk"
                                       : "Longer, with fewer risks (" + std::to_string(risks) + ")",
                            *answer.fewest_risks);
  }
  return out;
}

/// Returns each hop once, in the order of the paths.
std::vector<graph::DrawnUpdate> hops_of(const graph::PathAnswer& answer) {
  std::vector<graph::DrawnUpdate> updates;
  std::set<std::pair<std::string, std::string>> seen;
  const auto add = [&](const graph::Path& path) {
    for (const graph::Hop& hop : path) {
      if (seen.emplace(hop.from, hop.to).second)
        updates.push_back(
            {.from = hop.from, .to = hop.to, .dashed = !hop.risks.empty(), .labels = hop.risks});
    }
  };
  for (const graph::Path& path : answer.paths) add(path);
  if (answer.fewest_risks) add(*answer.fewest_risks);
  return updates;
}

int run(const GraphPathOptions& options) {
  const auto snapshot = load_snapshot(options.inputs);
  if (!snapshot) return report(snapshot.error());
  warn_of_problems(**snapshot);
  for (const std::string& channel : options.channels) {
    if (const auto known = require_channel(**snapshot, channel); !known) return report(known.error());
  }
  if (const auto known = require_architecture(**snapshot, options.inputs.arch); !known)
    return report(known.error());
  const auto answer = graph::find_paths(graph::View(**snapshot), {.channels = options.channels,
                                                                  .arch = options.inputs.arch,
                                                                  .from = options.from,
                                                                  .to = options.to,
                                                                  .avoid = options.avoid});
  for (const std::string& risk : answer.unknown_risks)
    warn("no update in these channels has the risk " + printable(risk) + " that is to be avoided");
  if (options.output == "json") {
    print(json::to_text(answer.to_json()));
  } else if (!answer.paths.empty() && is_picture(options.output)) {
    const graph::Path& first = answer.paths.front();
    return print_picture(options.output, hops_of(answer), {first.front().from, first.back().to},
                         join(options.channels, ", ") + " (" + options.inputs.arch + ")");
  } else if (!answer.paths.empty()) {
    print(as_text(answer));
  }
  if (!answer.paths.empty()) return exit_ok;
  return report({ErrorCode::not_found, "no path from " + printable(options.from) + " to " +
                                           printable(options.to) + ": " + answer.reason});
}

}  // namespace

void add_graph_path(CLI::App& graph, Context& context) {
  auto options = std::make_shared<GraphPathOptions>();
  CLI::App* command =
      add_command(graph, context, "path", "Find paths from one release to another over several updates",
                  "fairway graph path --graph-data examples/graph-data --releases examples/releases.json "
                  "--channel stable-4.7 "
                  "--from 4.6.23 --to 4.7.9",
                  [options] { return run(*options); });
  command
      ->add_option("--channel,--channels", options->channels,
                   "Channels whose updates may be used (repeatable, or joined by commas)")
      ->type_name("NAME")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->required();
  command->add_option("--from", options->from, "The version that the cluster is at")
      ->type_name("VERSION")
      ->required();
  command->add_option("--to", options->to, "The version to reach")->type_name("VERSION")->required();
  command
      ->add_option("--avoid", options->avoid,
                   "Risks that no update on the way may have (repeatable, or joined by commas)")
      ->type_name("RISK")
      ->delimiter(',')
      ->allow_extra_args(false);
  add_output_option(*command, options->output, {"table", "json", "dot", "mermaid", "svg"});
  add_graph_inputs(*command, options->inputs);
}

}  // namespace fairway::cli
