// SPDX-License-Identifier: Apache-2.0

// The request to the update service, and the meaning of its answer to this cluster. No I/O.
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

  /// Returns whether this is a failure of a service that may answer again: the previous response then stays.
  bool may_pass() const;
  friend bool operator==(const Finding&, const Finding&) = default;
};

/// The parameters of a request to the update service.
struct Query {
  std::string upstream, architecture, channel, cluster_id, version;
  /// True if only the cluster's own version is looked up, as an image of several architectures. It replaces
  /// the cluster's image, and is the only update.
  bool only_current = false;
  friend bool operator==(const Query&, const Query&) = default;
};

/// The operator's settings that matter to the query.
struct QuerySettings {
  /// URL of the service in place of `spec.upstream`; empty: `spec.upstream` is used.
  std::string upstream;
  /// Architecture as release images name it: "amd64".
  std::string architecture = "amd64";
};

/// Returns the query of a cluster that runs `current`. Otherwise the condition RetrievedUpdates says why
/// there is none.
std::expected<Query, Finding> query_of(const openshift::ClusterVersion& cluster, const ListedRelease& current,
                                       const QuerySettings& settings);

/// The part of an answer that is for this cluster.
struct AvailableUpdates {
  /// The service's data of the release that the cluster runs.
  ListedRelease current;
  /// Updates recommended to every cluster; the highest version first.
  std::vector<ListedRelease> unconditional;
  /// Updates recommended to clusters that are not exposed to the risks: `updates[i]` is to `targets[i]`. The
  /// highest version first.
  std::vector<ListedRelease> targets;
  std::vector<risk::ConditionalUpdate> updates;
  /// Parts that were left out of the answer, and contradictions in it (for the log), each as a sentence.
  std::vector<std::string> problems, notes;
};

/// Reads the body of an answer to `query`. `source` is its URL. A bad node, edge or risk does not affect the
/// others. If the body is unusable, returns the condition RetrievedUpdates.
std::expected<AvailableUpdates, Finding> read_available_updates(std::string_view body, const Query& query,
                                                                std::string_view source);

/// Returns an answer's data of a release: by image, else by version. std::nullopt: it has none, or it cannot
/// be read.
std::optional<ListedRelease> find_release(std::string_view body, const ListedRelease& wanted,
                                          std::string_view source);

/// Returns "unexpected HTTP status: 404 Not Found". `phrase` is that of the service; if empty, the standard
/// one is used.
std::string unexpected_status(int status, std::string_view phrase);
/// Returns RetrievedUpdates for a status that is not 200, or for an error (whose code tells whether there was
/// an answer).
Finding response_failed(int status, std::string_view phrase);
Finding request_failed(const Error& error);
/// Returns RetrievedUpdates while another query is asked for the first time.
Finding asking_anew(const Query& query);
/// Returns RetrievedUpdates=True.
Finding retrieved();

}  // namespace fairway::operators
