// SPDX-License-Identifier: Apache-2.0

#include "graph/explained_updates.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/semver.h"
#include "graph/asked_version.h"
#include "graph/internal/explainer.h"

namespace fairway::graph {
namespace {

/// Kinds of reasons that are about a release, not about an update of it.
constexpr std::array<std::string_view, 5> about_release{"unknown-channel", "unknown-architecture",
                                                        "unknown-version", "not-in-channel", "tombstoned"};

/// Returns the bytes of the texts of an update, about as many as it has in JSON.
std::size_t size_of(const ExplainedUpdates::Update& update) {
  constexpr std::size_t keys = 64;
  std::size_t size = keys + update.from.size() + update.to.size() + update.risks.size() * 4;
  for (const Reason& reason : update.explanation.reasons)
    size += keys + reason.kind.size() + reason.place.file.size() + reason.message.size();
  return size;
}

}  // namespace

json::Object ExplainedUpdates::to_json() const {
  json::Array list;
  for (const Update& update : updates) {
    json::Object entry{{"from", update.from}, {"to", update.to}};
    json::Object explained = update.explanation.to_json();
    entry["verdict"] = std::move(explained["verdict"]);
    entry["reasons"] = std::move(explained["reasons"]);
    entry["risks"] = json::Array(update.risks.begin(), update.risks.end());
    list.push_back(std::move(entry));
  }
  Explanation release;
  release.reasons = reasons;
  release.risks = risks;
  json::Object of_release = release.to_json();
  return {{"updates", std::move(list)},
          {"reasons", std::move(of_release["reasons"])},
          {"risks", std::move(of_release["risks"])}};
}

Result<ExplainedUpdates> explain_updates(const View& view, const UpdatesQuestion& question,
                                         const Limits& limits, const Clock& clock, std::size_t most_bytes) {
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
  Explainer explainer(view, question.channel, question.arch, Explainer::Texts::brief);
  std::unordered_map<std::uint32_t, std::size_t> places;
  std::size_t bytes = 0;
  for (const Version& other : others) {
    if (limits.expired(clock)) {
      return fail(limits.stop.stop_requested() ? ErrorCode::cancelled : ErrorCode::deadline_exceeded,
                  "explaining the updates of " + version + " took too long");
    }
    std::string from = upwards ? version : other.to_string(), to = upwards ? other.to_string() : version;
    Explanation explanation = explainer.run(from, to);
    ExplainedUpdates::Update update{std::move(from), std::move(to), std::move(explanation), {}};
    for (const std::uint32_t risk : explainer.risks()) {
      const auto [place, is_new] = places.emplace(risk, result.risks.size());
      if (is_new) {
        result.risks.push_back(view.risk(risk));
        bytes += result.risks.back().body().size();
      }
      update.risks.push_back(place->second);
    }
    bytes += size_of(update);
    if (bytes > most_bytes) {
      return fail(ErrorCode::too_large, "the updates of " + version + " and their reasons are more than " +
                                            std::to_string(most_bytes >> 20) +
                                            " MiB: ask /explain about one of them");
    }
    result.updates.push_back(std::move(update));
  }
  return result;
}

}  // namespace fairway::graph
