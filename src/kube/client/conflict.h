// Writing again what somebody else has written meanwhile.
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
  /// Up to this part of a pause is added to it, by chance: those who met once do not meet again.
  double jitter = 0.1;
};

/// client-go's other schedule, for objects that many write.
inline constexpr ConflictRetry conflict_backoff{4, std::chrono::milliseconds(10), 5};

/// Calls `write`, which reads the object and writes it, until it ends otherwise than in a conflict. Error:
/// that of the last attempt, or `cancelled`.
ApiResult<k8s::Dynamic> retry_on_conflict(Clock& clock, const std::function<ApiResult<k8s::Dynamic>()>& write,
                                          const ConflictRetry& schedule = {},
                                          const std::stop_token& stop = {});

}  // namespace fairway::kube
