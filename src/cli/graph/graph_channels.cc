// SPDX-License-Identifier: Apache-2.0

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "cli/graph/graph_commands.h"
#include "cli/graph/graph_inputs.h"
#include "command_line/terminal.h"
#include "updateservice/channel_descriptions.h"

namespace fairway::cli {

namespace {

struct GraphChannelsOptions {
  GraphInputs inputs;
  std::string descriptions, output;
};

int run(const GraphChannelsOptions& options) {
  updateservice::ChannelDescriptions texts;
  if (!options.descriptions.empty()) {
    auto loaded = updateservice::ChannelDescriptions::load(options.descriptions);
    if (!loaded) return report(loaded.error());
    texts = std::move(*loaded);
  }
  const auto describe = [&](const graph::SnapshotChannel& channel) {
    return channel.description.empty() ? std::string(texts.find(channel.name)) : channel.description;
  };
  const auto snapshot = load_snapshot(options.inputs);
  if (!snapshot) return report(snapshot.error());
  warn_of_problems(**snapshot);
  if (options.output == "json") {
    json::Object channels;
    for (const auto& channel : (*snapshot)->channels) {
      json::Object& about = channels[channel.name].emplace_object();
      if (const std::string text = describe(channel); !text.empty()) about["description"] = text;
    }
    print(json::to_text(json::Object{{"channels", std::move(channels)}}));
    return exit_ok;
  }
  const graph::Architecture* architecture = (*snapshot)->find_architecture(options.inputs.arch);
  std::vector<std::vector<std::string>> rows{{"CHANNEL", "RELEASES", "DESCRIPTION"}};
  for (std::size_t i = 0; i < (*snapshot)->channels.size(); ++i) {
    const auto& channel = (*snapshot)->channels[i];
    rows.push_back({channel.name, std::to_string(architecture ? architecture->members[i].size() : 0),
                    printable(describe(channel), 1000)});
  }
  print(table(rows));
  return exit_ok;
}

}  // namespace

void add_graph_channels(CLI::App& graph, Context& context) {
  auto options = std::make_shared<GraphChannelsOptions>();
  CLI::App* command =
      add_command(graph, context, "channels", "List the channels with their descriptions",
                  "fairway graph channels --graph-data examples/graph-data --releases examples/releases.json",
                  [options] { return run(*options); });
  command
      ->add_option("--channel-descriptions", options->descriptions,
                   "YAML file with texts for channels whose graph data has none: name pattern to text")
      ->type_name("FILE");
  add_output_option(*command, options->output, {"table", "json"});
  add_graph_inputs(*command, options->inputs);
}

}  // namespace fairway::cli
