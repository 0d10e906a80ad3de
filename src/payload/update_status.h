// SPDX-License-Identifier: Apache-2.0

// The progress of an update in the status of ClusterVersion: conditions and history.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "openshift/cluster_version.h"
#include "payload/capabilities.h"
#include "payload/release_image.h"
#include "payload/update_error.h"

namespace fairway::payload {

/// State of the last attempt to load a release: the condition ReleaseAccepted. True once it is loaded, False
/// if a step failed, Unknown while it is being loaded.
struct LoadStatus {
  LoadStep step = LoadStep::retrieve_payload;
  std::string message;
  bool failed = false;
  std::string image;
  std::string accepted_risks;
  /// True if the release was not loaded now: the accepted risks in the history stay as they are.
  bool local = false;
};

struct UpdateStatus {
  /// The release that is being applied, or has been.
  std::string version, image;
  /// True if the release has been applied as a whole once, and drift is being reverted.
  bool reconciling = false;
  /// True if it has ever been applied as a whole.
  bool completed = false;
  std::size_t done = 0, total = 0;
  bool verified = false;
  std::optional<UpdateError> failure;
  std::optional<LoadStatus> load;
  /// Time since which each ClusterOperator has been updating.
  std::map<std::string, WallTime> operators_updating_since;
  /// The capabilities of the cluster; std::nullopt: what is written of them stays.
  std::optional<Capabilities> capabilities = {};
  /// Errors in the spec, each with its field.
  std::vector<std::string> validation_errors;
};

/// Writes `status.history`, `status.capabilities` and the conditions Available, Failing, Progressing,
/// Invalid, ReleaseAccepted, ImplicitlyEnabledCapabilities and, if it is absent, RetrievedUpdates.
/// lastTransitionTime changes only with the status of a condition; other conditions and members stay.
void write_update_status(openshift::ClusterVersion& object, const UpdateStatus& status, WallTime now);

}  // namespace fairway::payload
