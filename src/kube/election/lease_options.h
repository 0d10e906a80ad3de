// Which Lease a process has to hold to lead, and how long it may be away.
#pragma once

#include <chrono>
#include <string>

#include "base/result.h"
#include "kube/client/internal/backoff.h"

namespace fairway::kube {

/// The usual numbers of client-go. `duration` > `renew_deadline` > 1.2 times `retry_period`.
struct LeaseOptions {
  /// Without a name there is no election.
  std::string namespace_name, name;
  /// Who this process is: no two may have the same. Empty: the host's name and random digits.
  std::string identity;
  /// How long others wait after the last change that they saw; whole seconds.
  std::chrono::seconds duration{15};
  /// How long after its last good renewal the leader still takes itself for one.
  std::chrono::nanoseconds renew_deadline = std::chrono::seconds(10);
  /// Between two attempts.
  std::chrono::nanoseconds retry_period = std::chrono::seconds(2);
  /// Give the lease back at a stop, so that another need not wait for its end.
  bool release_on_stop = true;
  /// Spreads attempts; nullptr: the system's.
  Random random;
};

/// What is wrong with options: a name that is missing, durations that do not go together.
Result<void> check(const LeaseOptions& options);

/// "host_0123456789abcdef": never twice the same.
std::string unique_identity();

}  // namespace fairway::kube
