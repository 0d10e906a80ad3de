// SPDX-License-Identifier: Apache-2.0

#include "updateservice/internal/builds/build_loaded.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/clock.h"
#include "graph/build.h"
#include "graph/restrict.h"

namespace fairway::updateservice {

Result<std::shared_ptr<const graph::Snapshot>> build_loaded(
    const BuiltInputs& inputs, std::shared_ptr<const graph::GraphData> graph_data,
    std::vector<graph::Problem> problems, const std::string& problem_url, const Limits& limits,
    const Clock& clock) {
  graph::BuildInputs build;
  for (const sources::FetchedReleases& one : inputs.releases) {
    build.releases.insert(build.releases.end(), one.releases.begin(), one.releases.end());
    build.upstreams.insert(build.upstreams.end(), one.upstreams.begin(), one.upstreams.end());
    build.problems.insert(build.problems.end(), one.problems.begin(), one.problems.end());
  }
  std::ranges::move(problems, std::back_inserter(build.problems));
  build.graph_data = std::move(graph_data);
  build.problem_url = problem_url;
  return graph::build(std::move(build), limits, clock);
}

Result<std::shared_ptr<const graph::Snapshot>> build_snapshot(const BuiltInputs& inputs,
                                                              const std::string& graph_data_name,
                                                              const std::string& problem_url,
                                                              const Limits& limits, const Clock& clock) {
  const bool has_upstreams = std::ranges::any_of(
      inputs.releases, [](const sources::FetchedReleases& one) { return !one.upstreams.empty(); });
  auto graph_data = graphdata::load(*inputs.files, {.source = graph_data_name,
                                                    .problem_url = problem_url,
                                                    .needs_channels = !has_upstreams,
                                                    .limits = limits,
                                                    .clock = &clock});
  if (!graph_data) return fail(graph_data.error());
  auto snapshot = build_loaded(inputs, std::make_shared<const graph::GraphData>(std::move(*graph_data)), {},
                               problem_url, limits, clock);
  if (!snapshot || !inputs.baseline) return snapshot;
  const auto baseline = build_snapshot(*inputs.baseline, graph_data_name, problem_url, limits, clock);
  if (!baseline) return fail(baseline.error());
  return graph::restrict_as(**snapshot, **baseline, *inputs.guard.absent, problem_url, limits, clock);
}

}  // namespace fairway::updateservice
