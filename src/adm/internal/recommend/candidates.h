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

/// Why an update is not recommended: the condition Recommended, as far as it is not True.
struct Concern {
  std::string status, reason, message;
};

struct Candidate {
  std::string version, image, url;
  /// Absent: no known issues.
  std::optional<Concern> concern;
};

/// By major and minor version, the highest first, and so are those of each.
using Candidates = std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<Candidate>, std::greater<>>;

/// Every update of a cluster once. Where the cluster says that it is not upgradeable, that is a concern about
/// every update to a later minor version. Warnings (versions that are none) go to `answer`, unless `quiet`.
Candidates find_candidates(const openshift::ClusterVersion& cluster, bool quiet, CommandResult& answer);

}  // namespace fairway::adm
