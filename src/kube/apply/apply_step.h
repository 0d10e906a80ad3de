// Applying an object as a step: apply, then wait until it is ready.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "base/backoff.h"
#include "kube/client/dynamic_client.h"
#include "kube/wait/wait_until.h"

namespace fairway::kube {

struct ApplyStepOptions {
  /// `field_manager` is required.
  ApplyOptions apply;
  /// What to wait for once it is applied; empty: nothing.
  WaitCondition until = is_ready();
  /// For all of it, within the limits of the run.
  std::chrono::nanoseconds timeout = std::chrono::minutes(10);
  /// Attempts to apply. Retried: the server cannot be reached or does not answer in time, 429, 5xx, and 404:
  /// the kind or the namespace is not served yet.
  int attempts = 6;
  /// For each attempt: a connection may hang.
  std::chrono::nanoseconds attempt_timeout = default_call_timeout;
  BackoffSchedule backoff{
      .first = std::chrono::seconds(1), .longest = std::chrono::seconds(30), .jitter = 0.1};
};

/// The work of a `Step`: server-side apply of `document` (see `k8s::apply_document`), then `wait_until`. Not
/// waited for in a dry run. The document must have its namespace, unless the kind is cluster-scoped.
std::function<Result<void>(const Limits& limits)> apply_and_wait(std::shared_ptr<Client> client,
                                                                 k8s::GroupVersionResource resource,
                                                                 k8s::Dynamic document,
                                                                 ApplyStepOptions options);
/// The same for a document of any kind, where `objects` finds it. A kind that is not served, or not known
/// yet, is retried too.
std::function<Result<void>(const Limits& limits)> apply_and_wait(DynamicClient objects, k8s::Dynamic document,
                                                                 ApplyStepOptions options);

}  // namespace fairway::kube
