// SPDX-License-Identifier: Apache-2.0

#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/semver.h"
#include "base/text.h"
#include "cli/graph/graph_commands.h"
#include "cli/graph/graph_inputs.h"
#include "cli/graph/print_picture.h"
#include "command_line/terminal.h"
#include "graph/explain.h"

namespace fairway::cli {

namespace {

struct GraphExplainOptions {
  GraphInputs inputs;
  std::string channel, from, to, output;
};

std::string as_text(const GraphExplainOptions& options, const graph::Explanation& explanation) {
  const Style style;
  using Verdict = graph::Explanation::Verdict;
  std::string verdict;
  switch (explanation.verdict) {
    case Verdict::recommended:
      verdict = style.green("recommended") + " to every cluster";
      break;
    case Verdict::conditional:
      verdict =
          style.yellow("conditional") + ": recommended only to clusters that none of the risks concerns";
      break;
    case Verdict::none:
      verdict = style.red("none") + ": this update is not offered";
      break;
  }
  std::string out = style.bold(printable(options.from) + " -> " + printable(options.to)) + " in " +
                    printable(options.channel) + " (" + options.inputs.arch + "): " + verdict + "\n";
  for (const graph::Reason& reason : explanation.reasons) {
    const std::string place = reason.place.to_string();
    out += "\n  " + reason.kind + (place.empty() ? "" : style.dim("  " + printable(place))) + "\n" +
           paragraph(reason.message, 4);
  }
  // The messages of the risks are in the reasons already.
  std::vector<std::vector<std::string>> rows;
  for (const graph::Risk& risk : explanation.risks)
    rows.push_back({"  " + printable(risk.name), printable(risk.url, 1000)});
  if (!rows.empty()) out += "\nMore about the risks\n" + table(rows);
  return out;
}

/// Draws the update, or the one that is not there, with the reasons against it.
int picture(const GraphExplainOptions& options, const graph::Explanation& explanation) {
  using Verdict = graph::Explanation::Verdict;
  const auto version = [&](const std::string& text) {
    const std::string arch = "+" + options.inputs.arch;
    return text.ends_with(arch) ? text.substr(0, text.size() - arch.size()) : text;
  };
  graph::DrawnUpdate update{.from = version(options.from),
                            .to = version(options.to),
                            .dashed = explanation.verdict != Verdict::recommended};
  for (const graph::Risk& risk : explanation.risks) update.labels.push_back(risk.name);
  if (explanation.verdict == Verdict::none) {
    update.labels = {"not offered"};
    for (const graph::Reason& reason : explanation.reasons) {
      const std::string place = reason.place.to_string();
      update.labels.push_back(reason.kind + (place.empty() ? "" : ": " + place));
    }
  }
  return print_picture(options.output, {update}, {update.from, update.to},
                       options.channel + " (" + options.inputs.arch + ")");
}

int run(const GraphExplainOptions& options) {
  const auto snapshot = load_snapshot(options.inputs);
  if (!snapshot) return report(snapshot.error());
  auto known = require_channel(**snapshot, options.channel);
  if (known) known = require_architecture(**snapshot, options.inputs.arch);
  if (!known && options.output != "json") return report(known.error());
  const graph::Explanation explanation =
      graph::explain(graph::View(**snapshot), options.channel, options.inputs.arch, options.from, options.to);
  if (is_picture(options.output)) {
    // A text that is not a version has no place in a picture.
    for (const std::string& version : {options.from, options.to}) {
      if (!Version::parse(version))
        return report({ErrorCode::not_found, explanation.reasons.front().message});
    }
    return picture(options, explanation);
  }
  print(options.output == "json" ? json::to_text(explanation.to_json()) : as_text(options, explanation));
  // A program reads in the answer that there is no such channel.
  return known ? exit_ok : report(known.error());
}

}  // namespace

void add_graph_explain(CLI::App& graph, Context& context) {
  auto options = std::make_shared<GraphExplainOptions>();
  CLI::App* command =
      add_command(graph, context, "explain", "Say why an update is recommended, conditional or not there",
                  "fairway graph explain --graph-data examples/graph-data --releases examples/releases.json "
                  "--channel stable-4.7 "
                  "--from 4.6.23 --to 4.7.4",
                  [options] { return run(*options); });
  command->add_option("--channel", options->channel, "The channel")->type_name("NAME")->required();
  command->add_option("--from", options->from, "The version that the cluster is at")
      ->type_name("VERSION")
      ->required();
  command->add_option("--to", options->to, "The version that it would move to")
      ->type_name("VERSION")
      ->required();
  add_output_option(*command, options->output, {"table", "json", "dot", "mermaid", "svg"});
  add_graph_inputs(*command, options->inputs);
}

}  // namespace fairway::cli
