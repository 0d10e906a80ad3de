// SPDX-License-Identifier: Apache-2.0

#include "cli/graph/graph_inputs.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "cli/progress_line.h"
#include "cli/source_options.h"
#include "command_line/terminal.h"
#include "updateservice/builder.h"

namespace fairway::cli {

void add_release_inputs(CLI::App& command, GraphInputs& inputs) {
  add_releases_option(command, inputs.releases);
  add_source_options(command, inputs.sources);
  command
      .add_option("--data", inputs.sources.data_directory,
                  "Folder for what was fetched, so that asking again is cheap; without it nothing is kept")
      ->type_name("DIR")
      ->group("Sources");
  add_problem_url_option(command, inputs.problem_url);
}

void add_graph_inputs(CLI::App& command, GraphInputs& inputs) {
  add_graph_data_option(command, inputs.graph_data);
  add_release_inputs(command, inputs);
  command.add_option("--arch", inputs.arch, "Architecture of the clusters")
      ->type_name("ARCH")
      ->capture_default_str();
}

void add_output_option(CLI::App& command, std::string& output, std::vector<std::string> formats) {
  output = formats.front();
  command.add_option("-o,--output", output, "Format")
      ->type_name(join(formats, "|"))
      ->check(CLI::IsMember(std::move(formats)).description(""))
      ->capture_default_str();
}

Result<SnapshotPointer> load_snapshot(const GraphInputs& inputs) {
  auto snapshots = load_snapshots(inputs, {inputs.graph_data});
  if (!snapshots) return fail(snapshots.error());
  return snapshots->front();
}

Result<std::vector<SnapshotPointer>> load_snapshots(const GraphInputs& inputs,
                                                    const std::vector<std::string>& graph_data) {
  // Messages of the sources and the builder come back as problems and errors, and need not be logged.
  log::configure(log::Level::off, log::Format::text);
  std::vector<std::unique_ptr<sources::ReleaseSource>> releases;
  for (const std::string& spec : inputs.releases) {
    auto source = sources::make_release_source(spec, inputs.sources);
    if (!source) return fail(source.error());
    releases.push_back(std::move(*source));
  }
  std::vector<std::unique_ptr<sources::GraphDataSource>> sources;
  for (const std::string& spec : graph_data) {
    auto source = sources::make_graph_data_source(spec, inputs.sources);
    if (!source) return fail(source.error());
    sources.push_back(std::move(*source));
  }
  ProgressLine progress(Clock::system());
  const sources::FetchContext context{.stop = {}, .progress = progress.callback()};
  updateservice::Builder builder(std::move(releases), std::move(sources.front()), inputs.problem_url,
                                 Clock::system());
  const auto outcome = builder.refresh(context);
  if (!outcome) return fail(outcome.error());
  std::vector<SnapshotPointer> snapshots{outcome->snapshot};
  for (auto source = sources.begin() + 1; source != sources.end(); ++source) {
    auto fetched = (*source)->fetch(context);
    if (!fetched) return fail(fetched.error());
    // The releases stay as they were asked for: both sides see the same ones.
    updateservice::BuiltInputs next = *outcome->inputs;
    next.files = std::make_shared<const graphdata::Files>(std::move(fetched->files));
    auto snapshot = updateservice::build_snapshot(next, (*source)->name(), inputs.problem_url);
    if (!snapshot) return fail(snapshot.error());
    snapshots.push_back(std::move(*snapshot));
  }
  return snapshots;
}

void warn_of_problems(const graph::Snapshot& snapshot) {
  constexpr std::size_t shown = 10;
  for (std::size_t i = 0; i < std::min(shown, snapshot.problems.size()); ++i) {
    const graph::Problem& problem = snapshot.problems[i];
    const std::string place = problem.place.to_string();
    command_line::warn(problem.kind + ": " + (place.empty() ? "" : place + ": ") +
                       printable(problem.message, 1000));
  }
  if (snapshot.problems.size() > shown) {
    command_line::warn("and " + command_line::count(snapshot.problems.size() - shown, "more problem") +
                       "; `fairway lint` names all");
  }
}

Result<void> require_channel(const graph::Snapshot& snapshot, std::string_view channel) {
  if (snapshot.find_channel(channel)) return {};
  std::vector<std::string> names;
  for (const auto& known : snapshot.channels) names.push_back(known.name);
  if (names.size() > 12) {
    const std::size_t all = names.size();
    names.resize(12);
    names.push_back("and " + std::to_string(all - 12) + " more (`fairway graph channels` lists them)");
  }
  return fail(ErrorCode::not_found, "there is no channel '" + printable(channel) +
                                        "'; there are: " + (names.empty() ? "none" : join(names, ", ")));
}

Result<void> require_architecture(const graph::Snapshot& snapshot, std::string_view arch) {
  if (snapshot.find_architecture(arch)) return {};
  std::vector<std::string> names;
  for (const auto& known : snapshot.architectures) names.push_back(known.name);
  return fail(ErrorCode::not_found,
              "there are no releases for architecture '" + printable(arch) +
                  "'; there are some for: " + (names.empty() ? "none" : join(names, ", ")));
}

Result<void> require_version(const graph::Snapshot& snapshot, std::string_view arch,
                             std::string_view version) {
  const graph::Architecture* architecture = snapshot.find_architecture(arch);
  if (architecture && architecture->find(version)) return {};
  return fail(ErrorCode::not_found,
              "there is no release " + printable(version) + " for " + printable(arch) + " among --releases");
}

std::string risk_names(const std::vector<graph::Risk>& risks) {
  std::vector<std::string> names;
  for (const graph::Risk& risk : risks) names.push_back(printable(risk.name));
  return join(names, ", ");
}

std::string describe_risk(const graph::Risk& risk, std::size_t indent) {
  const std::string url = risk.url.empty() ? "" : "  " + printable(risk.url, 1000);
  return std::string(indent, ' ') + printable(risk.name) + url + "\n" +
         command_line::paragraph(risk.message, indent + 2);
}

}  // namespace fairway::cli
