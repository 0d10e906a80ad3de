// SPDX-License-Identifier: Apache-2.0

// Preconditions of an update.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "openshift/cluster_version.h"

namespace fairway::payload {

/// A check that failed.
struct PreconditionFailure {
  std::string name;    ///< "ClusterVersionGiantHop"
  std::string reason;  ///< "MultipleMinorVersionsUpdate"
  std::string message;
  /// Blocks the update unless forced.
  bool blocks = true;
  /// Text for `acceptedRisks` in place of name, reason and message; empty: those are used.
  std::string accepted_text = {};

  /// `Precondition "ClusterVersionGiantHop" failed because of "MultipleMinorVersionsUpdate": ...`.
  std::string to_string() const;
};

struct Preconditions {
  std::vector<PreconditionFailure> failures;
  /// True if the update must not begin.
  bool blocked = false;
  /// All failures, as text for the condition ReleaseAccepted (see `failure_message`). Empty if there are
  /// none.
  std::string summary;
  /// The failures that do not keep the update from beginning, as text for `history[].acceptedRisks`.
  std::string accepted_risks;
};

/// The release that an update goes to.
struct UpdateTarget {
  std::string version;
  std::string image = {};  ///< empty: any

  friend bool operator==(const UpdateTarget&, const UpdateTarget&) = default;
};

/// Updates that the update service offers and the status does not list, for want of room or because the API
/// does not know their rules. They count all the same.
struct UnlistedUpdates {
  std::vector<UpdateTarget> available;
  std::vector<json::Object>
      conditional;  ///< updates as in `status.conditionalUpdates`: `release` and `conditions`

  friend bool operator==(const UnlistedUpdates&, const UnlistedUpdates&) = default;
};

/// Checks an update of the cluster to `target` against the cluster's status: rollbacks (only to the previous
/// release or to the one that was completed last, within its minor version), hops over a minor version,
/// Upgradeable=False (minor and major updates only), and whether the update is recommended and its image the
/// listed one, which is recorded and never blocks. With `force` nothing blocks.
Preconditions check_preconditions(const openshift::ClusterVersion& cluster, const UpdateTarget& target,
                                  bool force, const UnlistedUpdates& unlisted = {});

}  // namespace fairway::payload
