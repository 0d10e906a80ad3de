// SPDX-License-Identifier: Apache-2.0

// Retries writes on conflict.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>

#include "base/backoff.h"
#include "base/clock.h"
#include "kube/client/api_error.h"

namespace fairway::kube {

struct ConflictRetry {
  int attempts = 5;
  /// Pauses between attempts, with jitter, so that concurrent writers spread.
  BackoffSchedule backoff{.first = std::chrono::milliseconds(10), .factor = 1, .jitter = 0.1};
};

/// Retries of client-go's DefaultBackoff, for contended objects.
inline constexpr ConflictRetry conflict_backoff{
    4, {.first = std::chrono::milliseconds(10), .factor = 5, .jitter = 0.1}};
/// Retries for objects that all replicas of a program write at start.
inline constexpr ConflictRetry conflict_of_replicas{
    10, {.first = std::chrono::milliseconds(20), .factor = 1.5, .jitter = 0.1}};

/// Calls `write`, which reads and writes the object, until the result is not a conflict or attempts are
/// exhausted. Error: that of the last attempt, or `cancelled`.
ApiResult<k8s::Dynamic> retry_on_conflict(Clock& clock, const std::function<ApiResult<k8s::Dynamic>()>& write,
                                          const ConflictRetry& schedule = {},
                                          const std::stop_token& stop = {});

}  // namespace fairway::kube
