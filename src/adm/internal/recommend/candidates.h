// SPDX-License-Identifier: Apache-2.0

// The updates of a cluster by minor version, with what is known against each.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adm/answer.h"
#include "openshift/cluster_version.h"

namespace fairway::adm {

/// The reason why an update is not recommended: the condition Recommended, if it is not True.
struct Concern {
  std::string status, reason, message;
};

struct Candidate {
  std::string version, image, url;
  /// The concern about the update; absent: no known issues.
  std::optional<Concern> concern;
};

/// Candidates by major and minor version, the highest first; those of a minor version are sorted likewise.
using Candidates = std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<Candidate>, std::greater<>>;

/// Returns every update of a cluster once. If the cluster is not upgradeable, that is a concern about every
/// update to a later minor version. Warnings (about invalid versions) go to `answer`, unless `quiet`.
Candidates find_candidates(const openshift::ClusterVersion& cluster, bool quiet, CommandResult& answer);

}  // namespace fairway::adm
