// SPDX-License-Identifier: Apache-2.0

// fairway release ...: what is in a release image, what applying it would do, and how one is made.
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/graph/graph_inputs.h"
#include "cli/release/release_commands.h"
#include "cli/release/release_reading.h"
#include "command_line/terminal.h"
#include "payload/plan.h"
#include "payload/release_image.h"
#include "payload/selection.h"

namespace fairway::cli {

namespace {

struct ReleaseOptions {
  std::string image, output;
  ReleaseReading reading;
  payload::Selection selection;
  std::string level;
};

Result<payload::ReleaseImage> read_release(const ReleaseOptions& options) {
  auto read = read_releases(options.reading, {options.image});
  if (!read) return fail(read.error());
  return std::move(read->front());
}

json::Object to_object(const std::map<std::string, std::string>& texts) {
  json::Object object;
  for (const auto& [key, text] : texts) object.emplace(key, text);
  return object;
}

std::string levels_text(const std::vector<payload::Manifest>& manifests) {
  std::set<std::string> levels;
  for (const auto& manifest : manifests)
    if (const auto level = payload::run_level(manifest.file)) levels.insert(level->number);
  return count(manifests.size(), "manifest") + " in " + count(levels.size(), "run level");
}

int info(const ReleaseOptions& options) {
  const auto release = read_release(options);
  if (!release) return report(release.error());
  if (options.output == "json") {
    print(json::to_pretty_text(json::Object{{"version", release->version.to_string()},
                                            {"image", release->image},
                                            {"digest", release->digest},
                                            {"architecture", release->arch},
                                            {"verified", release->verified},
                                            {"metadata", to_object(release->metadata)},
                                            {"images", to_object(release->image_references)},
                                            {"manifests", release->manifests.size()}}));
    return exit_ok;
  }
  std::vector<std::vector<std::string>> rows{
      {"Version:", release->version.to_string()},
      {"Image:", release->image},
      {"Architecture:", release->arch},
      {"Signature:", release->verified ? "verified" : "not checked (--public-keys)"},
      {"Contents:",
       levels_text(release->manifests) + ", " + count(release->image_references.size(), "image")}};
  for (const auto& [key, text] : release->metadata) rows.push_back({key + ":", printable(text, 1000)});
  print(table(rows));
  return exit_ok;
}

/// A manifest, and what becomes of it.
struct Row {
  std::string level, component, file, object, action, wait;

  json::Object to_json() const {
    return {{"level", level},   {"component", component}, {"file", file},
            {"object", object}, {"action", action},       {"wait", wait}};
  }
};

Row row_of(const payload::Plan& plan, const payload::PlanStep& step) {
  const payload::Manifest& manifest = plan.manifests[step.manifest];
  const auto level = payload::run_level(manifest.file);
  return {.level = level ? level->number : "",
          .component = level ? level->component : "",
          .file = manifest.file,
          .object = manifest.id().to_string(),
          .action = std::string(to_string(step.action)),
          .wait = step.wait == payload::Wait::nothing ? "" : std::string(to_string(step.wait))};
}

int manifests(const ReleaseOptions& options) {
  auto release = read_release(options);
  if (!release) return report(release.error());
  payload::Selection selection = options.selection;
  selection.major_version = release->version.major();
  auto selected = payload::select(std::move(release->manifests), selection);
  if (!selected) return report(selected.error());
  const auto plan = payload::make_plan(release->version.to_string(), std::move(selected->manifests),
                                       payload::Mode::updating);
  std::vector<Row> rows;
  for (const auto& step : plan.steps) {
    if (!step.counts()) continue;
    if (Row row = row_of(plan, step); options.level.empty() || row.level == options.level)
      rows.push_back(std::move(row));
  }
  if (options.output == "json") {
    json::Array list, left_out;
    for (const Row& row : rows) list.push_back(row.to_json());
    for (const auto& one : selected->left_out) {
      left_out.push_back(
          json::Object{{"object", one.object.to_string()}, {"place", one.place}, {"why", one.why}});
    }
    print(json::to_pretty_text(json::Object{
        {"version", plan.version}, {"manifests", std::move(list)}, {"leftOut", std::move(left_out)}}));
    return exit_ok;
  }
  std::vector<std::vector<std::string>> lines{{"LEVEL", "COMPONENT", "ACTION", "OBJECT", "WAITS UNTIL"}};
  for (const Row& row : rows)
    lines.push_back({row.level, row.component, row.action, printable(row.object), row.wait});
  print(table(lines));
  for (const auto& one : selected->left_out)
    print("left out: " + printable(one.object.to_string()) + ": " + one.why + "\n");
  return exit_ok;
}

void add_reading_options(CLI::App& command, ReleaseOptions& options) {
  command.add_option("IMAGE", options.image, "Pull spec of a release image, by digest or tag")
      ->type_name("")
      ->required();
  add_output_option(command, options.output, {"table", "json"});
  add_release_reading_options(command, options.reading);
}

}  // namespace

void add_release(CLI::App& app, Context& context) {
  CLI::App* release = app.add_subcommand("release", "Show, compare and make release images");
  release->require_subcommand(1);
  auto of_info = std::make_shared<ReleaseOptions>();
  CLI::App* command =
      add_command(*release, context, "info", "Show version, metadata and images of a release",
                  "fairway release info quay.io/openshift-release-dev/ocp-release:4.16.15-x86_64 -o json",
                  [of_info] { return info(*of_info); });
  add_reading_options(*command, *of_info);

  auto of_manifests = std::make_shared<ReleaseOptions>();
  command = add_command(*release, context, "manifests",
                        "Show what applying a release does with which object, in order",
                        "fairway release manifests quay.io/openshift-release-dev/ocp-release:4.16.15-x86_64 "
                        "--level 50",
                        [of_manifests] { return manifests(*of_manifests); });
  add_reading_options(*command, *of_manifests);
  command->add_option("--level", of_manifests->level, "Only this run level, as file names have it")
      ->type_name("NN");
  add_selection_options(*command, of_manifests->selection);
  add_release_diff(*release, context);
  add_release_new(*release, context);
}

}  // namespace fairway::cli
