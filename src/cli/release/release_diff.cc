// SPDX-License-Identifier: Apache-2.0

// fairway release diff: what an update from one release to another changes.
#include "payload/release_diff.h"

#include <memory>
#include <string>
#include <utility>

#include "base/json.h"
#include "cli/commands.h"
#include "cli/graph/graph_inputs.h"
#include "cli/release/diff_report.h"
#include "cli/release/release_commands.h"
#include "cli/release/release_reading.h"
#include "command_line/terminal.h"

namespace fairway::cli {

namespace {

struct ReleaseDiffOptions {
  std::string from, to, output;
  ReleaseReading reading;
  payload::Selection selection;
};

json::Object side_json(const payload::ReleaseImage& release) {
  return {{"version", release.version.to_string()},
          {"image", release.image},
          {"digest", release.digest},
          {"architecture", release.arch},
          {"verified", release.verified}};
}

int diff(const ReleaseDiffOptions& options) {
  const auto releases = read_releases(options.reading, {options.from, options.to});
  if (!releases) return report(releases.error());
  const payload::ReleaseImage &from = releases->front(), &to = releases->back();
  auto found = payload::diff_releases(from, to, options.selection);
  if (!found) return report(found.error());
  if (options.output == "json") {
    json::Object document{{"from", side_json(from)}, {"to", side_json(to)}};
    for (auto& [key, value] : payload::to_json(*found)) document.emplace(key, std::move(value));
    print(json::to_pretty_text(document));
    return exit_ok;
  }
  const DiffReport all{.from = from, .to = to, .selection = options.selection, .diff = *std::move(found)};
  print(options.output == "markdown" ? to_diff_markdown(all) : to_diff_text(all));
  return exit_ok;
}

}  // namespace

void add_release_diff(CLI::App& release, Context& context) {
  auto options = std::make_shared<ReleaseDiffOptions>();
  CLI::App* command =
      add_command(release, context, "diff", "Say what an update from one release to another changes",
                  "fairway release diff quay.io/openshift-release-dev/ocp-release:4.16.14-x86_64 "
                  "quay.io/openshift-release-dev/ocp-release:4.16.15-x86_64",
                  [options] { return diff(*options); });
  command->add_option("FROM", options->from, "Pull spec of the release that a cluster has, by digest or tag")
      ->type_name("")
      ->required();
  command->add_option("TO", options->to, "Pull spec of the release that it would be updated to")
      ->type_name("")
      ->required();
  add_output_option(*command, options->output, {"table", "json", "markdown"});
  add_release_reading_options(*command, options->reading);
  add_selection_options(*command, options->selection);
}

}  // namespace fairway::cli
