// Retries writes on conflict.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>

#include "base/clock.h"
#include "kube/client/api_error.h"

namespace fairway::kube {

struct ConflictRetry {
  int attempts = 5;
  std::chrono::milliseconds pause{10};
  double factor = 1;
  /// Random addition to each pause, as a fraction of it, so that concurrent writers spread.
  double jitter = 0.1;
};

/// client-go's DefaultBackoff, for contended objects.
inline constexpr ConflictRetry conflict_backoff{4, std::chrono::milliseconds(10), 5};

/// Calls `write`, which reads and writes the object, until the result is not a conflict or attempts are
/// exhausted. Error: that of the last attempt, or `cancelled`.
ApiResult<k8s::Dynamic> retry_on_conflict(Clock& clock, const std::function<ApiResult<k8s::Dynamic>()>& write,
                                          const ConflictRetry& schedule = {},
                                          const std::stop_token& stop = {});

}  // namespace fairway::kube
