// SPDX-License-Identifier: Apache-2.0

#include "kube/client/conflict.h"

namespace fairway::kube {

ApiResult<k8s::Dynamic> retry_on_conflict(Clock& clock, const std::function<ApiResult<k8s::Dynamic>()>& write,
                                          const ConflictRetry& schedule, const std::stop_token& stop) {
  static thread_local const Random random = system_random();
  Backoff backoff(schedule.backoff, clock, random);
  for (int attempt = 1;; ++attempt) {
    auto written = write();
    if (written || !written.error().is_conflict() || attempt >= schedule.attempts) return written;
    clock.wait_until(clock.steady() + backoff.next(), stop);
    if (stop.stop_requested()) {
      return std::unexpected(ApiError(Error{ErrorCode::cancelled, "stopped between two attempts to write"}));
    }
  }
}

}  // namespace fairway::kube
