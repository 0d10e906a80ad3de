// What to ask the update service, and what its answer means to this cluster. No I/O.
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "k8s/condition.h"
#include "openshift/cluster_version.h"
#include "operators/release.h"
#include "risk/rounds.h"

namespace fairway::operators {

/// A condition of ClusterVersion, without its time.
struct Finding {
  k8s::ConditionStatus status = k8s::ConditionStatus::is_false;
  std::string reason, message;

  /// Returns whether it is the failure of a service that may answer again: what was known before stays.
  bool may_pass() const;
  friend bool operator==(const Finding&, const Finding&) = default;
};

/// What the update service is asked.
struct Query {
  std::string upstream, architecture, channel, cluster_id, version;
  /// The version that the cluster runs is looked for as an image of several architectures, which replaces its
  /// own: the only update there is.
  bool only_current = false;
  friend bool operator==(const Query&, const Query&) = default;
};

/// How the operator is set up, as far as it matters to the query.
struct QuerySettings {
  /// Where `spec.upstream` is empty, or this one overrides it.
  std::string upstream;
  /// As release images are called: "amd64".
  std::string architecture = "amd64";
};

/// The query of a cluster that runs `current`. Otherwise why there is none: the condition RetrievedUpdates.
std::expected<Query, Finding> query_of(const openshift::ClusterVersion& cluster, const ListedRelease& current,
                                       const QuerySettings& settings);

/// What an answer offers to this cluster.
struct AvailableUpdates {
  /// What the service says of the release that the cluster runs.
  ListedRelease current;
  /// Recommended to every cluster; the highest version first.
  std::vector<ListedRelease> unconditional;
  /// Recommended to clusters that are not exposed to the risks: `updates[i]` is to `targets[i]`. The highest
  /// version first.
  std::vector<ListedRelease> targets;
  std::vector<risk::ConditionalUpdate> updates;
  /// What was left out of the answer, each as a sentence; and what is odd in it, for the log.
  std::vector<std::string> problems, notes;
};

/// Reads the body of an answer to `query`. `source` is its URL. A bad node, edge or risk costs itself alone.
/// Otherwise the condition RetrievedUpdates.
std::expected<AvailableUpdates, Finding> read_available_updates(std::string_view body, const Query& query,
                                                                std::string_view source);

/// What an answer says of a release: by image, else by version. std::nullopt: nothing, or it cannot be read.
std::optional<ListedRelease> find_release(std::string_view body, const ListedRelease& wanted,
                                          std::string_view source);

/// "unexpected HTTP status: 404 Not Found". `phrase` is the service's own for it: the usual one where it has
/// none.
std::string unexpected_status(int status, std::string_view phrase);
/// RetrievedUpdates after a status that is not 200, or after a failure (which `read` whether it is the
/// answer's).
Finding response_failed(int status, std::string_view phrase);
Finding request_failed(const Error& error);
/// RetrievedUpdates=True.
Finding retrieved();

}  // namespace fairway::operators
