// SPDX-License-Identifier: Apache-2.0

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
  ApplyOptions apply = {};
  /// Condition to wait for once the document is applied; empty: none.
  WaitCondition until = is_ready();
  /// Timeout of the whole step, within the limits of the run.
  std::chrono::nanoseconds timeout = std::chrono::minutes(10);
  /// Number of attempts to apply. Retried: the server cannot be reached or does not answer in time, 429, 5xx,
  /// and 404 (the kind or the namespace is not served yet).
  int attempts = 6;
  /// Timeout of each attempt: a connection may hang.
  std::chrono::nanoseconds attempt_timeout = default_call_timeout;
  BackoffSchedule backoff{
      .first = std::chrono::seconds(1), .longest = std::chrono::seconds(30), .jitter = 0.1};
};

/// Returns the work of a `Step`: server-side apply of `document` (see `k8s::apply_document`), then
/// `wait_until`. A dry run does not wait. The document must have its namespace, unless the kind is
/// cluster-scoped.
std::function<Result<void>(const Limits& limits)> apply_and_wait(std::shared_ptr<Client> client,
                                                                 k8s::GroupVersionResource resource,
                                                                 k8s::Dynamic document,
                                                                 ApplyStepOptions options);
/// Returns work that applies a document of any kind and waits for it; `objects` looks the kind up. A kind
/// that is not served, or not known yet, is retried too.
std::function<Result<void>(const Limits& limits)> apply_and_wait(DynamicClient objects, k8s::Dynamic document,
                                                                 ApplyStepOptions options);

}  // namespace fairway::kube
