// How an update is going, as the status of ClusterVersion: conditions and history.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "openshift/cluster_version.h"
#include "payload/release_image.h"
#include "payload/update_error.h"

namespace fairway::payload {

/// The last release that was to be loaded: ReleaseAccepted. True once it is loaded, False where a step
/// failed, Unknown while it takes its time.
struct LoadStatus {
  LoadStep step = LoadStep::retrieve_payload;
  std::string message;
  bool failed = false;
  std::string image;
  std::string accepted_risks;
  /// It was not loaded now: the risks that were accepted then stay.
  bool local = false;
};

struct UpdateStatus {
  /// The release that is applied, or has been.
  std::string version, image;
  /// It has been applied as a whole once, and what has been changed since is put back.
  bool reconciling = false;
  /// True if it has ever been applied as a whole.
  bool completed = false;
  std::size_t done = 0, total = 0;
  bool verified = false;
  std::optional<UpdateError> failure;
  std::optional<LoadStatus> load;
  /// Since when each ClusterOperator has been updating.
  std::map<std::string, WallTime> operators_updating_since;
  /// What is wrong with the spec: each with its field.
  std::vector<std::string> validation_errors;
};

/// Writes `status.history` and the conditions Available, Failing, Progressing, Invalid, ReleaseAccepted,
/// ImplicitlyEnabledCapabilities and, if there is none, RetrievedUpdates. lastTransitionTime changes with the
/// status of a condition only; other conditions and members stay.
void write_update_status(openshift::ClusterVersion& object, const UpdateStatus& status, WallTime now);

}  // namespace fairway::payload
