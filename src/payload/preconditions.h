// Preconditions of an update.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "openshift/cluster_version.h"

namespace fairway::payload {

/// A check that failed.
struct PreconditionFailure {
  std::string name;    ///< "ClusterVersionGiantHop"
  std::string reason;  ///< "MultipleMinorVersionsUpdate"
  std::string message;
  /// Blocks the update unless forced.
  bool blocks = true;
  /// What `acceptedRisks` says of it in place of the name, reason and message; empty: just those.
  std::string accepted_text = {};

  /// `Precondition "ClusterVersionGiantHop" failed because of "MultipleMinorVersionsUpdate": ...`.
  std::string to_string() const;
};

struct Preconditions {
  std::vector<PreconditionFailure> failures;
  /// Nothing is begun.
  bool blocked = false;
  /// All failures, for the condition ReleaseAccepted (see `failure_message`). Empty without any.
  std::string summary;
  /// For `history[].acceptedRisks`: the failures that were overridden.
  std::string accepted_risks;
};

/// Checks an update of the cluster to `target`, as its status tells: rollbacks (only to the previous release,
/// within its minor version), hops over a minor version, Upgradeable=False (minor and major updates only),
/// and whether the update is recommended, which is recorded and never blocks. With `force` nothing blocks.
Preconditions check_preconditions(const openshift::ClusterVersion& cluster, std::string_view target,
                                  bool force);

}  // namespace fairway::payload
