// SPDX-License-Identifier: Apache-2.0

#include "cli/risk/published_risks.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <utility>

#include "base/file.h"
#include "base/log.h"
#include "base/semver.h"
#include "cli/graph/graph_inputs.h"
#include "cli/source_options.h"
#include "graph/evaluated_graph.h"
#include "graphdata/load.h"
#include "upstream/read.h"
#include "upstream/update_service.h"

namespace fairway::cli {

namespace {

/// Collects each body once, with the versions of the updates that have it.
class Collection {
 public:
  void add(const graph::Risk& risk, const Version& target) {
    auto& [kept, targets] = risks_[{risk.name, risk.body()}];
    kept = risk;
    targets.insert(target);
  }

  std::vector<PublishedRisk> take() {
    std::vector<PublishedRisk> all;
    for (auto& [key, found] : risks_) {
      PublishedRisk published{std::move(found.first), {}};
      for (const Version& target : found.second) published.targets.push_back(target.to_string());
      all.push_back(std::move(published));
    }
    return all;
  }

 private:
  std::map<std::pair<std::string, std::string>, std::pair<graph::Risk, std::set<Version>>> risks_;
};

void warn_of(const std::vector<graph::Problem>& problems) {
  graph::Snapshot shown;
  shown.problems = problems;
  warn_of_problems(shown);
}

Result<std::vector<PublishedRisk>> of_graph_data(const RiskSource& source) {
  const auto made = sources::make_graph_data_source(source.graph_data, source.sources);
  if (!made) return fail(made.error());
  const auto fetched = (*made)->fetch({});
  if (!fetched) return fail(fetched.error());
  const auto data = graphdata::load(
      fetched->files,
      {.source = (*made)->name(), .problem_url = graph::not_understood_url, .needs_channels = false});
  if (!data) return fail(data.error());
  warn_of(data->problems);
  Collection risks;
  for (const graph::Block& block : data->blocks) {
    if (block.effect != graph::Block::Effect::removed) risks.add(block.risk, block.to);
  }
  return risks.take();
}

Result<std::vector<PublishedRisk>> of_graph(const graph::ReadGraph& read) {
  warn_of(read.problems);
  Collection risks;
  for (const graph::ConditionalEdges& group : read.graph.conditional_edges) {
    for (const graph::IndexPair& edge : group.edges) {
      const auto target = Version::parse(read.graph.nodes[edge.second].version);
      if (!target) continue;  // the reader leaves such nodes out
      for (const graph::Risk& risk : group.risks) risks.add(risk, *target);
    }
  }
  return risks.take();
}

Result<std::vector<PublishedRisk>> of_file(const RiskSource& source) {
  const auto text = read_file(source.graph_file);
  if (!text) return fail(text.error());
  const auto read = graph::read_cincinnati_json(*text, source.graph_file, graph::RisksWithoutRules::keep);
  return read ? of_graph(*read) : fail(read.error());
}

Result<std::vector<PublishedRisk>> of_upstream(const RiskSource& source) {
  // --scrape-deadline is about whole registries; one answer takes no longer than upstream's own limit.
  upstream::Options limits{.ca_files = source.sources.access.ca_files};
  limits.deadline = std::min(limits.deadline, source.sources.deadline);
  const auto service = upstream::UpdateService::create(source.upstream, limits);
  if (!service) return fail(service.error().within("reading --upstream"));
  const auto body = service->fetch_graph({.channel = source.channel, .arch = source.arch});
  if (!body) return fail(body.error());
  if (!*body) return fail(ErrorCode::internal, "an answer to a first question says that nothing has changed");
  const auto read = upstream::read_graph((*body)->text, (*body)->source, source.channel, source.arch,
                                         graph::RisksWithoutRules::keep);
  return read ? of_graph(*read) : fail(read.error());
}

}  // namespace

void add_risk_source(CLI::App& command, RiskSource& source) {
  add_graph_data_option(command, source.graph_data);
  command.get_option("--graph-data")->required(false);
  command.add_option("--graph", source.graph_file, "An update service's answer (JSON) in a file")
      ->type_name("FILE");
  command
      .add_option("--upstream", source.upstream,
                  "An update service to ask, as clusters name it: https://HOST/api/upgrades_info/graph")
      ->type_name("URL");
  command.add_option("--channel", source.channel, "The channel to ask --upstream for")->type_name("NAME");
  command.add_option("--arch", source.arch, "The architecture to ask --upstream for")
      ->type_name("ARCH")
      ->capture_default_str();
  add_source_options(command, source.sources);
}

std::optional<Error> fault_of(const RiskSource& source) {
  const int given = static_cast<int>(!source.graph_data.empty()) +
                    static_cast<int>(!source.graph_file.empty()) + static_cast<int>(!source.upstream.empty());
  if (given != 1) {
    return Error{
        ErrorCode::invalid,
        "where do the risks come from? Give --graph-data SRC, or --graph FILE, or --upstream URL with "
        "--channel"};
  }
  if (source.upstream.empty() != source.channel.empty())
    return Error{ErrorCode::invalid, "--upstream and --channel go together: one of them is missing"};
  return std::nullopt;
}

Result<std::vector<PublishedRisk>> load_risks(const RiskSource& source) {
  // All messages come back as problems and errors, and need not be logged.
  log::configure(log::Level::off, log::Format::text);
  if (!source.graph_data.empty()) return of_graph_data(source);
  return source.upstream.empty() ? of_file(source) : of_upstream(source);
}

}  // namespace fairway::cli
