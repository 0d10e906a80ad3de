// How long to wait before trying again.
#pragma once

#include <chrono>
#include <optional>

#include "base/clock.h"
#include "base/random.h"

namespace fairway {

/// Pauses that grow with each failure in a row.
struct BackoffSchedule {
  std::chrono::nanoseconds first = std::chrono::milliseconds(800);
  /// No pause is longer, jitter left out.
  std::chrono::nanoseconds longest = std::chrono::hours(24);
  double factor = 2;
  /// Up to this part of the pause is added to it, by chance.
  double jitter = 0;
  /// After so long without a failure it begins with the first pause again. Used by `Backoff` alone.
  std::chrono::nanoseconds reset_after = std::chrono::nanoseconds::max();

  /// The pause after the `failures`-th failure in a row (from 1); `random` is from [0, 1).
  std::chrono::nanoseconds pause(int failures, double random = 0) const;
};

/// Counts failures, and says how long to wait after each. Not for several threads at once.
class Backoff {
 public:
  /// Without `random` there is no jitter.
  Backoff(const BackoffSchedule& schedule, Clock& clock, Random random = {})
      : schedule_(schedule), clock_(clock), random_(std::move(random)) {}

  /// Something has failed: how long to wait.
  std::chrono::nanoseconds next();
  /// It went well: the next failure is the first.
  void reset() { failures_ = 0; }

 private:
  const BackoffSchedule schedule_;
  Clock& clock_;
  Random random_;
  int failures_ = 0;
  SteadyTime last_;  ///< of the last failure
};

}  // namespace fairway
