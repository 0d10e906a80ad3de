#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "cli/graph/graph_commands.h"
#include "cli/graph/graph_inputs.h"
#include "command_line/terminal.h"
#include "graph/paths.h"

namespace fairway::cli {

namespace {

struct Options {
  GraphInputs inputs;
  std::vector<std::string> channels;
  std::string from, to, output;
};

std::string as_text(const std::vector<graph::Path>& paths) {
  const Style style;
  std::string out;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const graph::Path& path = paths[i];
    out += (i == 0 ? "" : "\n") + style.bold("Path " + std::to_string(i + 1)) + ": " +
           count(path.size(), "update") + "\n";
    std::vector<std::vector<std::string>> rows;
    for (const graph::Hop& hop : path) {
      rows.push_back(
          {"  " + hop.from + " -> " + hop.to, hop.channel,
           hop.risks.empty() ? "recommended" : "at risk of: " + printable(join(hop.risks, ", "), 1000)});
    }
    out += table(rows);
  }
  return out;
}

int run(const Options& options) {
  const auto snapshot = load_snapshot(options.inputs);
  if (!snapshot) return report(snapshot.error());
  warn_of_problems(**snapshot);
  for (const std::string& channel : options.channels) {
    if (const auto known = require_channel(**snapshot, channel); !known) return report(known.error());
  }
  const std::string& arch = options.inputs.arch;
  auto known = require_architecture(**snapshot, arch);
  if (known) known = require_version(**snapshot, arch, options.from);
  if (known) known = require_version(**snapshot, arch, options.to);
  if (!known) return report(known.error());
  const auto paths =
      graph::find_paths(graph::View(**snapshot), options.channels, arch, options.from, options.to);
  if (options.output == "json") {
    print(json::to_text(graph::paths_to_json(paths)));
  } else if (!paths.empty()) {
    print(as_text(paths));
  }
  if (!paths.empty()) return exit_ok;
  return report({ErrorCode::not_found, "no path leads from " + options.from + " to " + options.to + " in " +
                                           join(options.channels, ", ") + "; more channels may open one"});
}

}  // namespace

void add_graph_path(CLI::App& graph, Context& context) {
  auto options = std::make_shared<Options>();
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
  add_output_option(*command, options->output, {"table", "json"});
  add_graph_inputs(*command, options->inputs);
}

}  // namespace fairway::cli
