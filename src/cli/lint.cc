// SPDX-License-Identifier: Apache-2.0

// fairway lint: the presubmit for graph data.
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/graph/graph_inputs.h"
#include "cli/lint_report.h"
#include "cli/progress_line.h"
#include "cli/source_options.h"
#include "command_line/terminal.h"
#include "graphdata/lint/lint.h"
#include "graphdata/lint/queries.h"
#include "sources/git.h"

namespace fairway::cli {

namespace {

struct LintOptions {
  std::string directory, base, output, fail_on = "error";
  std::vector<std::string> releases, metrics;
  sources::Options sources;
};

// Returns the releases of all sources, those of upstream graphs among them: lint asks which versions there
// are, and which updates between them.
std::vector<graph::Release> to_releases(const std::vector<sources::FetchedReleases>& fetched) {
  std::vector<graph::Release> releases;
  std::map<std::pair<std::string, std::string>, graph::Release> served;  // by architecture and version
  for (const sources::FetchedReleases& source : fetched) {
    std::ranges::copy(source.releases, std::back_inserter(releases));
    for (const graph::UpstreamGraph& upstream : source.upstreams) {
      const graph::UpdateGraph& graph = upstream.graph;
      std::vector<graph::Release*> nodes;
      for (const graph::Node& node : graph.nodes) {
        graph::Release& release = served[{upstream.arch, node.version}];
        if (Result<Version> version = Version::parse(node.version)) release.version = std::move(*version);
        release.arch = upstream.arch;
        release.payload = node.payload;
        release.source = upstream.source;
        nodes.push_back(&release);
      }
      const auto add = [&](const graph::IndexPair& edge) {
        nodes[edge.second]->previous.push_back(graph.nodes[edge.first].version);
      };
      std::ranges::for_each(graph.edges, add);
      for (const graph::ConditionalEdges& group : graph.conditional_edges)
        std::ranges::for_each(group.edges, add);
    }
  }
  for (auto& [key, release] : served) releases.push_back(std::move(release));
  return releases;
}

// Releases that were left out: what lint says may look different with them.
void warn_of_problems(const std::vector<graph::Problem>& problems) {
  constexpr std::size_t shown = 10;
  for (const graph::Problem& problem : problems | std::views::take(shown)) {
    const std::string place = problem.place.to_string();
    warn(problem.kind + ": " + (place.empty() ? "" : place + ": ") + printable(problem.message, 1000));
  }
  if (problems.size() > shown) warn("and " + count(problems.size() - shown, "more problem"));
}

Result<std::vector<graph::Release>> fetch_releases(const LintOptions& options) {
  // Messages of the sources come back as problems and errors, and need not be logged.
  log::configure(log::Level::off, log::Format::text);
  std::vector<sources::FetchedReleases> fetched;
  ProgressLine progress(Clock::system());
  for (const std::string& spec : options.releases) {
    const auto source = sources::make_release_source(spec, options.sources);
    if (!source) return fail(source.error());
    auto releases = (*source)->fetch({.stop = {}, .progress = progress.callback()});
    if (!releases) return fail(releases.error());
    warn_of_problems(releases->problems);
    fetched.push_back(std::move(*releases));
  }
  return to_releases(fetched);
}

Result<graphdata::Files> read_base(const LintOptions& options) {
  std::error_code ignored;
  if (std::filesystem::is_directory(options.base, ignored))
    return graphdata::read_directory(options.base, graphdata::is_linted);
  Result<graphdata::Files> files = sources::read_git_base(options.directory, options.base);
  if (!files)
    return fail(files.error().within("--base " + options.base + " is no folder, so it is a Git revision"));
  return files;
}

// Paths as seen from where the command runs, which in a pull request's check is the top of the repository.
std::string prefix_of(const std::string& directory) {
  std::error_code fault;
  const std::filesystem::path path = std::filesystem::proximate(directory, fault);
  if (path == ".") return "";
  const bool is_beside = fault || path.empty() || path.begin()->string() == "..";
  return (is_beside ? std::filesystem::path(directory) / "" : path / "").generic_string();
}

int run(const LintOptions& options) {
  if (!options.metrics.empty() && options.output == "sarif") {
    return report({ErrorCode::invalid,
                   "SARIF has findings, and what queries give over --metrics is none: take -o text, json or "
                   "github"},
                  exit_usage);
  }
  graphdata::LintInputs inputs;
  inputs.links = sources::find_git_links(options.directory);
  Result<graphdata::Files> files = graphdata::read_linted(options.directory, inputs.links);
  if (!files) return report(files.error(), exit_usage);
  inputs.files = std::move(*files);
  if (!options.base.empty()) {
    Result<graphdata::Files> base = read_base(options);
    if (!base) return report(base.error(), exit_usage);
    inputs.base = std::move(*base);
  }
  Result<std::vector<graph::Release>> releases = fetch_releases(options);
  if (!releases) return report(releases.error(), exit_usage);
  inputs.releases = std::move(*releases);

  LintReport findings{
      .prefix = prefix_of(options.directory), .files = inputs.files, .findings = graphdata::lint(inputs)};
  if (!options.metrics.empty()) {
    auto results = try_queries(graphdata::changed_queries(inputs), options.metrics);
    if (!results) return report(results.error(), exit_usage);
    findings.results = *std::move(results);
    findings.snapshots = options.metrics.size();
  }
  if (options.output == "json") {
    print(to_lint_json(findings));
  } else if (options.output == "github") {
    print(to_lint_github(findings));
  } else if (options.output == "sarif") {
    print(to_lint_sarif(findings));
  } else {
    print(to_lint_text(findings));
  }
  const bool has_failed = options.fail_on == "warning" ? !findings.findings.empty()
                                                       : findings.count(graphdata::Severity::error) > 0;
  return has_failed ? exit_failed : exit_ok;
}

}  // namespace

void add_lint(CLI::App& app, Context& context) {
  auto options = std::make_shared<LintOptions>();
  CLI::App* command = add_command(
      app, context, "lint", "Check graph data before it is merged: exit 0, 1 (findings) or 2 (could not run)",
      "fairway lint examples/graph-data --releases examples/releases.json",
      [options] { return run(*options); });
  command->add_option("DIR", options->directory, "Folder with version, channels and blocked-edges")
      ->type_name("")
      ->required();
  command
      ->add_option(
          "--base", options->base,
          "What it was before: a folder, or a Git revision of the repository that DIR is in; url, name and "
          "message are then required of new files")
      ->type_name("DIR|GITREV");
  command->add_option("--fail-on", options->fail_on, "The least severe finding for which the exit code is 1")
      ->check(CLI::IsMember({"error", "warning"}).description(""))
      ->type_name("error|warning")
      ->capture_default_str();
  add_output_option(*command, options->output, {"text", "json", "github", "sarif"});
  command
      ->add_option(
          "--metrics", options->metrics,
          "Metrics of a cluster each (as for promql eval --series): say what the queries that the base "
          "lacks give over them; a 0 without any of a query's metrics is no proof (repeatable)")
      ->type_name("FILE");
  add_releases_option(*command, options->releases);
  command->get_option("--releases")->required(false);
  add_source_options(*command, options->sources);
  command
      ->add_option("--data", options->sources.data_directory,
                   "Folder for what was fetched, so that asking again is cheap; without it nothing is kept")
      ->type_name("DIR")
      ->group("Sources");
}

}  // namespace fairway::cli
