// SPDX-License-Identifier: Apache-2.0

// The desired update of ClusterVersion: the release that the cluster shall run. No I/O.
#pragma once

#include <string>
#include <vector>

#include "openshift/cluster_version.h"

namespace fairway::operators {

/// Returns the errors in the spec, each as `FIELD: Invalid value: "V": why`, in the words of OpenShift's
/// operator. A version without an image has to be among the available updates, or be the current release or a
/// completed one that a rollback may go to; for a conditional update the image has to be named.
/// `accept_risks`: the feature gate ClusterUpdateAcceptRisks; without it there must be no `acceptRisks`.
std::vector<std::string> validate_spec(const openshift::ClusterVersion& cluster, bool accept_risks);

/// The release that a cluster shall run, and the rest of the spec that the operator acts on.
struct WantedRelease {
  std::string version;            ///< empty: any that the image has
  std::string image;              ///< empty: it is not known which release runs here
  bool force = false;             ///< true if failed checks and a missing signature are ignored
  std::string overrides = {};     ///< `spec.overrides`, as JSON
  std::string capabilities = {};  ///< `spec.capabilities`, as JSON
  std::vector<std::string> invalid = {};

  friend bool operator==(const WantedRelease&, const WantedRelease&) = default;
};

/// Returns the release of `spec.desiredUpdate`, if that is valid: its image, or that of its version in the
/// history or among the available updates. Without `spec.desiredUpdate` it is the release that was completed
/// last: an update is cancelled by removing it. With an invalid one it is the newest release of the history,
/// which goes on.
WantedRelease wanted_release(const openshift::ClusterVersion& cluster, bool accept_risks);

}  // namespace fairway::operators
