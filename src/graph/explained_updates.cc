// SPDX-License-Identifier: Apache-2.0

#include "graph/explained_updates.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "base/semver.h"
#include "graph/asked_version.h"

namespace fairway::graph {
namespace {

/// Kinds of reasons that are about a release, not about an update of it.
constexpr std::array<std::string_view, 5> about_release{"unknown-channel", "unknown-architecture",
                                                        "unknown-version", "not-in-channel", "tombstoned"};

}  // namespace

json::Object ExplainedUpdates::to_json() const {
  json::Array list, risks;
  std::map<std::string, std::size_t> places;
  for (const Update& update : updates) {
    json::Object entry{{"from", update.from}, {"to", update.to}};
    json::Object explained = update.explanation.to_json();
    json::Array positions;
    for (json::Value& risk : explained["risks"].as_array()) {
      const auto [place, is_new] = places.emplace(json::to_text(risk), risks.size());
      if (is_new) risks.push_back(std::move(risk));
      positions.emplace_back(place->second);
    }
    entry["verdict"] = std::move(explained["verdict"]);
    entry["reasons"] = std::move(explained["reasons"]);
    entry["risks"] = std::move(positions);
    list.push_back(std::move(entry));
  }
  Explanation release;
  release.reasons = reasons;
  return {
      {"updates", std::move(list)}, {"reasons", release.to_json()["reasons"]}, {"risks", std::move(risks)}};
}

Result<ExplainedUpdates> explain_updates(const View& view, const UpdatesQuestion& question,
                                         const Limits& limits, const Clock& clock) {
  const std::string version(without_architecture(question.version, question.arch));
  const UpdateGraph graph = view.channel_graph(question.channel, question.arch);
  const std::optional<Version> asked = [&]() -> std::optional<Version> {
    if (std::ranges::find(graph.nodes, version, &Node::version) == graph.nodes.end()) return std::nullopt;
    auto parsed = Version::parse(version);
    return parsed ? std::optional(std::move(*parsed)) : std::nullopt;
  }();
  ExplainedUpdates result;
  if (!asked) {
    result.reasons = explain(view, question.channel, question.arch, version, version).reasons;
    std::erase_if(result.reasons, [](const Reason& reason) {
      return std::ranges::find(about_release, reason.kind) == about_release.end();
    });
    return result;
  }
  const bool upwards = question.side == UpdatesQuestion::Side::from;
  std::vector<Version> others;
  for (const Node& node : graph.nodes) {
    auto other = Version::parse(node.version);
    if (!other) continue;
    const auto order = compare_precedence(*other, *asked);
    if (upwards ? order > 0 : order < 0) others.push_back(std::move(*other));
  }
  std::ranges::sort(others, [](const Version& a, const Version& b) { return compare_precedence(a, b) > 0; });
  for (const Version& other : others) {
    if (limits.expired(clock)) {
      return fail(limits.stop.stop_requested() ? ErrorCode::cancelled : ErrorCode::deadline_exceeded,
                  "explaining the updates of " + version + " took too long");
    }
    std::string from = upwards ? version : other.to_string(), to = upwards ? other.to_string() : version;
    Explanation explanation = explain(view, question.channel, question.arch, from, to);
    result.updates.push_back({std::move(from), std::move(to), std::move(explanation)});
  }
  return result;
}

}  // namespace fairway::graph
