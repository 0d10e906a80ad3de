// Carries out a plan on a cluster.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/backoff.h"
#include "base/limits.h"
#include "base/result.h"
#include "kube/client/dynamic_client.h"
#include "payload/plan.h"
#include "payload/update_error.h"

namespace fairway::payload {

/// How far the plan is. Manifests count; joins and migrations do not.
struct ApplyProgress {
  std::size_t done = 0, total = 0;
  /// What it waits for now, or what has failed, as one error. While something only takes its time, its effect
  /// is `none`. std::nullopt: nothing is in the way.
  std::optional<UpdateError> error;
};

struct ApplyPlanOptions {
  /// Of server-side apply; it takes over fields that others own.
  std::string field_manager = "fairway-operator";
  /// Steps at once.
  int parallelism = 16;
  /// Attempts to write an object, and the pauses between them. Retried: the server cannot be reached, 404
  /// (the namespace or kind is not there yet), 409, 429 and 5xx.
  int attempts = 8;
  BackoffSchedule backoff{.first = std::chrono::milliseconds(250), .longest = std::chrono::seconds(15)};
  /// For one request.
  std::chrono::nanoseconds request_timeout = std::chrono::seconds(30);
  /// For each wait. One that takes longer fails its step, and the plan is to be carried out again.
  std::chrono::nanoseconds wait_timeout = std::chrono::minutes(10);
  /// For a migration: objects may be many.
  std::chrono::nanoseconds migration_timeout = std::chrono::hours(2);
  /// Where the Conversions of migrations are made; it must exist.
  std::string conversion_namespace = "default";
  /// Called for one event at a time, from any thread; must return soon, and not throw.
  std::function<void(const ApplyProgress& progress)> on_progress;
};

struct ApplyReport {
  /// `error` is of the steps that failed. Without one, and without `ended`, everything is done.
  ApplyProgress progress;
  /// Why it ended early: `cancelled` or `deadline_exceeded`.
  std::optional<Error> ended;

  bool is_done() const { return !progress.error && !ended; }
};

/// Carries out the plan: what is done already costs a request and changes nothing, so that an update that was
/// interrupted begins again at the beginning, and what somebody changed is put back. Steps that depend on a
/// failed one are not started, others are. `objects` is the client that writes the objects: one whose
/// configuration has `impersonate` writes them as a ServiceAccount.
///
/// Migrations make a Conversion (pkg.knative.dev) for each CRD in whose `storedVersions` other versions stand
/// than the one it stores, wait until it is completed, and delete it.
///
/// Errors: `invalid` for a plan that contradicts itself. All else is in the report.
Result<ApplyReport> apply_plan(const kube::DynamicClient& objects, const Plan& plan,
                               const ApplyPlanOptions& options, const Limits& limits);

}  // namespace fairway::payload
