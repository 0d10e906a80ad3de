// How long to wait before trying again.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "base/clock.h"

namespace fairway::kube {

/// Numbers from [0, 1), evenly. Called from one thread at a time by each who holds one.
using Random = std::function<double()>;

/// A generator of its own with a seed from the system.
Random system_random();

struct BackoffSchedule {
  std::chrono::milliseconds first{800};
  std::chrono::milliseconds most{30'000};
  double factor = 2;
  /// Up to this part of the pause is added to it.
  double jitter = 1;
  /// After so long without a failure it begins with the first pause again.
  std::chrono::milliseconds reset_after{120'000};
};

/// Growing pauses: client-go's for its reflector. Not for several threads at once.
class Backoff {
 public:
  Backoff(Clock& clock, Random random, BackoffSchedule schedule = {})
      : clock_(clock), random_(std::move(random)), schedule_(schedule) {}

  /// Something has failed again: how long to wait.
  std::chrono::nanoseconds next();

 private:
  Clock& clock_;
  Random random_;
  BackoffSchedule schedule_;
  std::chrono::duration<double, std::milli> pause_{0};
  std::optional<SteadyTime> last_;
};

}  // namespace fairway::kube
