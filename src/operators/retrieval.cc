// SPDX-License-Identifier: Apache-2.0

#include "operators/retrieval.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/quoted_text.h"
#include "base/semver.h"
#include "base/text.h"
#include "graph/cincinnati_reply.h"
#include "http/message.h"
#include "operators/internal/cluster_id.h"
#include "operators/internal/service_url.h"
#include "risk/available_updates.h"

namespace fairway::operators {
namespace {

constexpr std::string_view architecture_key = "release.openshift.io/architecture";
constexpr std::string_view unable = "Unable to retrieve available updates: ";

std::unexpected<Finding> refuse(std::string reason, std::string message) {
  return std::unexpected(Finding{.reason = std::move(reason), .message = std::move(message)});
}

std::unexpected<Finding> invalid(const std::string& why) {
  return refuse("ResponseInvalid", std::string(unable) + why);
}

/// Returns the release of a node. Invalid metadata are left out, and listed in `problems`. std::nullopt: an
/// architecture that may not be this cluster's.
std::optional<ListedRelease> release_of(const graph::Node& node, std::vector<std::string>& problems) {
  ListedRelease release{.version = node.version, .image = node.payload};
  const std::string whose = "release " + printable(node.version) + ": ";
  for (const auto& [key, value] : node.metadata) {
    if (key == "url") {
      if (const std::string why = refusal_of_go(value); why.empty()) {
        release.url = value;
      } else {
        problems.push_back(whose + "its URL is left out: " + printable(why, 300));
      }
    } else if (key == architecture_key) {
      if (value != "multi") {
        problems.push_back(whose + "it is left out: unrecognized " + std::string(architecture_key) + " " +
                           quote(printable(value, 80)));
        return std::nullopt;
      }
      release.multi = true;
    } else if (key == graph::channels_key) {
      std::set<std::string, std::less<>> channels;
      bool empty = false;
      for (const std::string_view channel : split(value, ',')) {
        empty = empty || channel.empty();
        if (!channel.empty()) channels.emplace(channel);
      }
      if (empty) {
        problems.push_back(whose + "an empty name is left out of its channels " +
                           quote(printable(value, 200)));
      }
      release.channels.assign(channels.begin(), channels.end());
    }
  }
  return release;
}

/// Returns a version without its build text, as nodes have it.
std::string without_build(std::string_view version) {
  return std::string(version.substr(0, version.find('+')));
}

void add_messages(std::vector<std::string>& messages, const std::vector<graph::Problem>& problems) {
  for (const graph::Problem& problem : problems) messages.push_back(problem.message);
}

}  // namespace

bool Finding::may_pass() const {
  return status == k8s::ConditionStatus::is_false &&
         (reason == "RemoteFailed" || reason == "ResponseFailed" || reason == "ResponseInvalid");
}

std::expected<Query, Finding> query_of(const openshift::ClusterVersion& cluster, const ListedRelease& current,
                                       const QuerySettings& settings) {
  Query query{.upstream = settings.upstream,
              .architecture = current.multi ? "multi" : settings.architecture,
              .channel = std::string(cluster.channel()),
              .cluster_id = std::string(cluster.text("spec.clusterID")),
              .version = current.version};
  if (query.upstream.empty()) query.upstream = cluster.upstream();
  const std::string_view wanted = cluster.text("spec.desiredUpdate.architecture");
  if (wanted == "Multi" && !current.multi) {
    query.architecture = "multi";
    query.only_current = true;
  }
  if (query.upstream.empty())
    return refuse("NoUpstream", "No updateService server has been set to retrieve updates.");
  if (const std::string why = refusal_of_go(query.upstream); !why.empty())
    return refuse("InvalidURI", "failed to parse update service URL: " + why);
  auto id = read_cluster_id(query.cluster_id);
  if (!id) return refuse("InvalidID", "invalid cluster ID: " + id.error());
  query.cluster_id = *std::move(id);
  if (query.architecture.empty()) return refuse("NoArchitecture", "Architecture has not been configured.");
  if (query.version.empty()) {
    return refuse("NoCurrentVersion",
                  "The cluster version does not have a semantic version assigned and cannot calculate valid "
                  "upgrades.");
  }
  if (query.channel.empty()) return refuse("NoChannel", "The update channel has not been configured.");
  if (!Version::parse(query.version)) {
    return refuse("InvalidCurrentVersion",
                  "The current cluster version is not a valid semantic version and cannot be used to "
                  "calculate upgrades.");
  }
  return query;
}

Finding retrieved() {
  return {.status = k8s::ConditionStatus::is_true, .reason = {}, .message = {}};
}

Finding asking_anew(const Query& query) {
  return {.status = k8s::ConditionStatus::unknown,
          .reason = "AskingAnew",
          .message = "The update service is being asked about " + query.version + " in the " +
                     quote(query.channel) + " channel for " + query.architecture + "."};
}

std::string unexpected_status(int status, std::string_view phrase) {
  return "unexpected HTTP status: " + std::to_string(status) + " " +
         printable(phrase.empty() ? http::reason_phrase(status) : phrase);
}

Finding response_failed(int status, std::string_view phrase) {
  return {.reason = "ResponseFailed", .message = std::string(unable) + unexpected_status(status, phrase)};
}

Finding request_failed(const Error& error) {
  // A response that could not be read is an answer, too.
  const bool answered = error.code == ErrorCode::too_large || error.code == ErrorCode::unsupported ||
                        error.code == ErrorCode::invalid;
  return {.reason = answered ? "ResponseInvalid" : "RemoteFailed",
          .message = std::string(unable) + error.message};
}

std::expected<AvailableUpdates, Finding> read_available_updates(std::string_view body, const Query& query,
                                                                std::string_view source) {
  const auto not_found = [&] {
    return refuse("VersionNotFound", std::string(unable) + "currently reconciling cluster version " +
                                         query.version + " not found in the " + quote(query.channel) +
                                         " channel");
  };
  const auto reply = graph::read_cincinnati_reply(body, source);
  if (!reply) return invalid(reply.error().message);
  // A proxy's or another service's word, which says nothing of the release.
  if (!reply->has_nodes) return invalid("the answer is no update graph: it has no list `nodes`");
  AvailableUpdates answered;
  add_messages(answered.problems, reply->problems);
  add_messages(answered.notes, reply->notes);
  if (reply->graph.nodes.empty() && !answered.problems.empty()) return invalid(answered.problems.front());
  const std::string version = without_build(query.version);
  const auto at = reply->graph.find(version);
  if (!at) return not_found();
  // Kept whatever its metadata say, as the cluster runs it.
  if (auto current = release_of(reply->graph.nodes[*at], answered.problems)) {
    answered.current = *std::move(current);
  } else {
    answered.current = {.version = version, .image = reply->graph.nodes[*at].payload};
  }
  if (query.only_current) {
    answered.unconditional.push_back(answered.current);
    return answered;
  }
  const auto available = risk::available_updates(reply->graph, version);
  if (!available) return invalid(available.error().message);
  for (const graph::Node& node : available->unconditional) {
    if (auto release = release_of(node, answered.problems))
      answered.unconditional.push_back(*std::move(release));
  }
  for (std::size_t i = 0; i < available->targets.size(); ++i) {
    const graph::Node& node = available->targets[i];
    if (std::ranges::binary_search(reply->repeated,
                                   graph::IndexPair(*at, *reply->graph.find(node.version)))) {
      answered.problems.push_back("the update to " + printable(node.version) +
                                  " is left out: it stands in `conditionalEdges` more than once");
      continue;
    }
    auto release = release_of(node, answered.problems);
    if (!release) continue;
    answered.targets.push_back(*std::move(release));
    answered.updates.push_back(available->updates[i]);
  }
  return answered;
}

std::optional<ListedRelease> find_release(std::string_view body, const ListedRelease& wanted,
                                          std::string_view source) {
  const auto reply = graph::read_cincinnati_reply(body, source);
  if (!reply) return std::nullopt;
  const auto& nodes = reply->graph.nodes;
  auto found = std::ranges::find(nodes, wanted.image, &graph::Node::payload);
  if (found == nodes.end())
    found = std::ranges::find(nodes, without_build(wanted.version), &graph::Node::version);
  if (found == nodes.end()) return std::nullopt;
  std::vector<std::string> ignored;
  return release_of(*found, ignored);
}

}  // namespace fairway::operators
