// SPDX-License-Identifier: Apache-2.0

// Lint: what the data as a whole comes to: whether it is refused, and which releases have no update.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "graph/paths.h"
#include "graph/snapshot.h"
#include "graphdata/internal/lint/context.h"

namespace fairway::graphdata {

namespace {

constexpr std::size_t versions_named = 5;

std::string name_some(const std::vector<std::string>& versions) {
  const auto shown = std::min(versions.size(), versions_named);
  const std::vector<std::string> first(versions.begin(),
                                       versions.begin() + static_cast<std::ptrdiff_t>(shown));
  const std::size_t more = versions.size() - shown;
  return join(first, ", ") + (more > 0 ? " and " + std::to_string(more) + " more" : "");
}

void check_ways_up(LintContext& context, const graph::Snapshot& snapshot,
                   const graph::SnapshotChannel& channel) {
  const graph::Place& place = snapshot.graph_data->channels[*channel.data].place;
  for (const graph::Architecture& architecture : snapshot.architectures) {
    const graph::Stranded found =
        graph::find_stranded(snapshot.channel_graph(channel.name, architecture.name));
    std::vector<std::string> stranded;
    for (const std::string& version : found.stranded) {
      if (std::ranges::find(found.stuck, version) == found.stuck.end()) stranded.push_back(version);
    }
    if (!found.stuck.empty()) {
      context.add("stuck", place, channel.name,
                  "on " + architecture.name + ", no path leads to " + found.highest + " from " +
                      name_some(found.stuck),
                  "list releases between them, or drop those that are not for this channel");
    }
    if (!stranded.empty()) {
      context.add("stranded", place, channel.name,
                  "on " + architecture.name + ", no path of recommended updates alone leads to " +
                      found.highest + " from " + name_some(stranded),
                  "narrow the risks on the way, or list a release without them");
    }
  }
}

/// Reports files whose `from` matches releases, but none that updates to their target.
void check_blocks(LintContext& context, const graph::Snapshot& snapshot) {
  for (const graph::Problem& problem : snapshot.problems) {
    if (problem.kind != graph::problem_kind::block_meets_nothing || problem.place.line == 0) continue;
    const bool is_told = std::ranges::any_of(context.findings, [&](const Finding& finding) {
      return finding.place.file == problem.place.file &&
             (finding.rule == "from-matches-nothing" || finding.rule == "to-in-no-channel" ||
              finding.rule == "block-meets-nothing");
    });
    if (is_told) continue;
    context.add("block-meets-nothing", problem.place, "", problem.message,
                "fix 'to' or 'from', or remove the file",
                context.is_changed(problem.place.file) ? Severity::error : Severity::warning);
  }
}

std::shared_ptr<const graph::Snapshot> build_snapshot(const LintContext& context, graph::GraphData data) {
  graph::BuildInputs inputs;
  inputs.releases = context.inputs.releases;
  // Lists for lint need no images.
  for (graph::Release& release : inputs.releases) {
    if (release.payload.empty()) release.payload = release.version.to_string();
  }
  inputs.graph_data = std::make_shared<const graph::GraphData>(std::move(data));
  return graph::build(std::move(inputs));
}

/// Returns the messages of problems about the base's metadata that meets nothing. The rest of the base may be
/// broken.
std::set<std::string> idle_metadata_of_base(const LintContext& context, const std::string& file) {
  std::set<std::string> messages;
  if (!context.inputs.base || !context.inputs.base->contains(file)) return messages;
  Files files = context.inputs.files;
  files.insert_or_assign(file, context.inputs.base->at(file));
  Result<graph::GraphData> data = load(files, {});
  if (!data) return messages;
  const auto snapshot = build_snapshot(context, *std::move(data));
  for (const graph::Problem& problem : snapshot->problems) {
    if (problem.kind == graph::problem_kind::metadata_meets_nothing) messages.insert(problem.message);
  }
  return messages;
}

/// Reports metadata that meets nothing. It is all in one file, so only problems that the base does not have
/// are errors.
void check_metadata(LintContext& context, const graph::Snapshot& snapshot) {
  std::optional<std::set<std::string>> of_base;
  for (const graph::Problem& problem : snapshot.problems) {
    if (problem.kind != graph::problem_kind::metadata_meets_nothing) continue;
    bool is_new = context.is_changed(problem.place.file);
    if (is_new) {
      if (!of_base) of_base = idle_metadata_of_base(context, problem.place.file);
      is_new = !of_base->contains(problem.message);
    }
    context.add("metadata-meets-nothing", problem.place, "", problem.message,
                "fix the version, the expression or the key, or remove the entry",
                is_new ? Severity::error : Severity::warning);
  }
}

}  // namespace

void lint_graph(LintContext& context) {
  Result<graph::GraphData> data = load(context.inputs.files, {});
  if (!data) {
    // Whatever lint did not find by itself: limits, missing folders.
    const bool is_known = std::ranges::any_of(
        context.findings, [](const Finding& finding) { return finding.severity == Severity::error; });
    if (!is_known)
      context.add("refused", {}, "", data.error().message, "fix this first: the last good graph stays");
    return;
  }
  if (context.inputs.releases.empty()) return;
  const std::shared_ptr<const graph::Snapshot> snapshot = build_snapshot(context, *std::move(data));
  check_blocks(context, *snapshot);
  check_metadata(context, *snapshot);
  for (const graph::SnapshotChannel& channel : snapshot->channels) {
    if (channel.data) check_ways_up(context, *snapshot, channel);
  }
}

}  // namespace fairway::graphdata
