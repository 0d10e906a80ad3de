// SPDX-License-Identifier: Apache-2.0

// Computes the status of ClusterVersion: available and conditional updates. No I/O.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "k8s/object.h"
#include "openshift/cluster_version.h"
#include "operators/release.h"
#include "operators/retrieval.h"
#include "payload/preconditions.h"
#include "risk/condition.h"
#include "risk/rounds.h"

namespace fairway::operators {

/// Types of conditions.
inline constexpr const char* retrieved_updates = "RetrievedUpdates";
inline constexpr const char* stale_updates = "fairway.dev/StaleUpdates";
inline constexpr const char* incomplete_updates = "fairway.dev/IncompleteUpdates";

/// Time that the previous response stays valid while the service fails.
inline constexpr std::chrono::hours keep_updates{24};

class ServedDefinition;

struct UpdateInputs {
  /// The release that the cluster runs, with the metadata of its image.
  ListedRelease current;
  Finding retrieved;
  /// The last valid response; nullptr: none, for another query, or expired.
  const AvailableUpdates* available = nullptr;
  /// The service's data of the release that the cluster runs, from another channel if the configured one does
  /// not have that release.
  std::optional<ListedRelease> elsewhere;
  /// True if the search in other channels is in progress; until then the previous result is kept.
  bool searching = false;
  /// True if the data of that release are kept while the service gives no valid response. False after a
  /// change of channel, architecture or service.
  bool keep_desired = false;
  /// Time at which these updates were retrieved, if not with the last response.
  std::optional<WallTime> stale_since;
  /// Verdicts on each of the available `updates`.
  std::span<const risk::UpdateVerdict> verdicts;
  /// Types of rules that are known here.
  const risk::Registry* registry = nullptr;
  /// True if `spec.desiredUpdate.acceptRisks` counts (the feature gate ClusterUpdateAcceptRisks).
  bool accept_risks = false;
  /// The definition of ClusterVersion that the cluster serves; nullptr: that of this program.
  const ServedDefinition* definition = nullptr;
  WallTime now;
};

/// Writes `status.desired`, `availableUpdates`, `conditionalUpdates`, `conditionalUpdateRisks` and the
/// conditions above. Everything else stays. Conditions that have not changed keep their times, so that the
/// same inputs write the same status. An update with risks is available only if each risk, listed or not, was
/// evaluated and does not match (or is accepted). What the definition does not take is not written, but named
/// in `fairway.dev/IncompleteUpdates`. Returns the updates that it could not list.
payload::UnlistedUpdates write_updates(openshift::ClusterVersion& cluster, const UpdateInputs& inputs);

/// Sets a condition of `status.conditions`; its time changes only when the status does.
void set_condition(openshift::ClusterVersion& cluster, std::string_view type, const Finding& finding,
                   WallTime now);
bool remove_condition(openshift::ClusterVersion& cluster, std::string_view type);

}  // namespace fairway::operators
