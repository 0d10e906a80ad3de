// What ClusterVersion asks for: the release that the cluster shall run. No I/O.
#pragma once

#include <string>
#include <vector>

#include "openshift/cluster_version.h"

namespace fairway::operators {

/// What is wrong with the spec, each as `FIELD: Invalid value: "V": why`. `accept_risks`: the feature gate
/// ClusterUpdateAcceptRisks.
std::vector<std::string> validate_spec(const openshift::ClusterVersion& cluster, bool accept_risks);

/// The release that a cluster shall run, and what else decides what the operator does about it.
struct WantedRelease {
  std::string version;         ///< empty: whatever the image has
  std::string image;           ///< empty: nothing is known to run here
  bool force = false;          ///< whatever its checks and its signature say
  std::string overrides = {};  ///< `spec.overrides`, as JSON
  std::vector<std::string> invalid = {};

  friend bool operator==(const WantedRelease&, const WantedRelease&) = default;
};

/// `spec.desiredUpdate`, if it is valid: its image, or that of its version in the history or among the
/// updates on offer. Without one the release that was completed last: an update is cancelled by removing it.
/// With one that is not valid, whatever has been begun goes on.
WantedRelease wanted_release(const openshift::ClusterVersion& cluster, bool accept_risks);

}  // namespace fairway::operators
