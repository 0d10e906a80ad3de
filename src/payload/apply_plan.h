// SPDX-License-Identifier: Apache-2.0

// Carries out a plan on a cluster.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/backoff.h"
#include "base/limits.h"
#include "base/result.h"
#include "kube/client/dynamic_client.h"
#include "payload/plan.h"
#include "payload/update_error.h"

namespace fairway::payload {

/// Progress of a plan. Manifests count; joins and migrations do not.
struct ApplyProgress {
  std::size_t done = 0, total = 0;
  /// Reason why the plan waits or fails, merged into one error. While something only takes its time, its
  /// effect is `none`. std::nullopt: nothing is in the way.
  std::optional<UpdateError> error;
};

/// Stage of a step.
enum class StepStage {
  running,  ///< it was begun, and nothing is in its way
  waiting,  ///< it waits for something, or is tried again: the error says for what
  done,
  failed,       ///< it ended with its error
  interrupted,  ///< it ended because the plan was stopped, or its time was over: it is begun anew
};

/// A change of a step.
struct StepChange {
  std::string_view step;  ///< the name of the step
  StepStage stage = StepStage::running;
  /// The reason why it waits, or has failed; nullptr in the other stages. No other error is told: the words
  /// of a server about a Secret may quote it.
  const UpdateError* error = nullptr;
};

struct ApplyPlanOptions {
  /// Field manager of server-side apply, which takes over fields that others own.
  std::string field_manager = "fairway-operator";
  /// Number of steps that run at once.
  int parallelism = 16;
  /// Attempts to write an object, and the pauses between them. Retried are: the server cannot be reached, 404
  /// (the namespace or kind is not there yet), 409, 429 and 5xx.
  int attempts = 8;
  BackoffSchedule backoff{.first = std::chrono::milliseconds(250), .longest = std::chrono::seconds(15)};
  /// Timeout of one request.
  std::chrono::nanoseconds request_timeout = std::chrono::seconds(30);
  /// Timeout of each wait. A wait that takes longer fails its step, and the plan has to be carried out again.
  std::chrono::nanoseconds wait_timeout = std::chrono::minutes(10);
  /// Timeout of a migration, which may have many objects to convert.
  std::chrono::nanoseconds migration_timeout = std::chrono::hours(2);
  /// Namespace in which the Conversions of migrations are made; it must exist.
  std::string conversion_namespace = "default";
  /// Callback for progress: called for one event at a time, from any thread. It must return soon and not
  /// throw.
  std::function<void(const ApplyProgress& progress)> on_progress;
  /// Callback for each change of a step: called from any thread, by several at once for different steps. It
  /// must return soon and not throw.
  std::function<void(const StepChange& change)> on_step;
};

struct ApplyReport {
  /// Progress at the end. Its `error` is that of the failed steps; without one, and without `ended`,
  /// everything is done.
  ApplyProgress progress;
  /// Reason why the plan ended early: `cancelled` or `deadline_exceeded`.
  std::optional<Error> ended;

  bool is_done() const { return !progress.error && !ended; }
};

/// Carries out the plan. A step that is done already costs a request and changes nothing, so an interrupted
/// update begins again at the beginning, and drift is reverted. Steps that depend on a failed one are not
/// started, others are. `objects` is the client that writes the objects: one whose configuration has
/// `impersonate` writes them as a ServiceAccount.
/// Migrations make a Conversion (pkg.knative.dev) for each CRD whose `storedVersions` list other versions
/// than the storage version, wait until it is completed, and delete it.
/// Errors: `invalid` for a plan that contradicts itself. All other errors are in the report.
Result<ApplyReport> apply_plan(const kube::DynamicClient& objects, const Plan& plan,
                               const ApplyPlanOptions& options, const Limits& limits);

}  // namespace fairway::payload
