#include "kube/client/conflict.h"

#include "kube/client/internal/backoff.h"

namespace fairway::kube {

ApiResult<k8s::Dynamic> retry_on_conflict(Clock& clock, const std::function<ApiResult<k8s::Dynamic>()>& write,
                                          const ConflictRetry& schedule, const std::stop_token& stop) {
  std::chrono::duration<double> pause = schedule.pause;
  for (int attempt = 1;; ++attempt) {
    auto written = write();
    if (written || !written.error().is_conflict() || attempt >= schedule.attempts) return written;
    static thread_local const Random random = system_random();
    const auto longer = pause * (1 + random() * schedule.jitter);
    clock.wait_until(clock.steady() + std::chrono::duration_cast<SteadyTime::duration>(longer), stop);
    if (stop.stop_requested()) {
      return std::unexpected(ApiError(Error{ErrorCode::cancelled, "stopped between two attempts to write"}));
    }
    pause *= schedule.factor;
  }
}

}  // namespace fairway::kube
