// SPDX-License-Identifier: Apache-2.0

// The Lease of an election, and its timing.
#pragma once

#include <chrono>
#include <string>

#include "base/random.h"
#include "base/result.h"

namespace fairway::kube {

/// Options of a leader election, with client-go's defaults. `duration` > `renew_deadline` > 1.2 times
/// `retry_period`.
struct LeaseOptions {
  /// Namespace and name of the lease. Empty name: no leader election.
  std::string namespace_name = {}, name = {};
  /// The identity of this process, which must be unique. Empty: host name and random digits.
  std::string identity = {};
  /// Time that other candidates wait after the last change that they observed; whole seconds.
  std::chrono::seconds duration{15};
  /// Time that the leader leads after its last successful renewal.
  std::chrono::nanoseconds renew_deadline = std::chrono::seconds(10);
  /// Time between two attempts.
  std::chrono::nanoseconds retry_period = std::chrono::seconds(2);
  /// Release the lease on stop, so that another candidate need not wait for it to expire.
  bool release_on_stop = true;
  /// Jitter of attempts; nullptr: the system's random numbers.
  Random random = {};
};

/// Validates options: a missing name, inconsistent durations.
Result<void> check(const LeaseOptions& options);

/// Returns "HOST_0123456789abcdef", unique for each call.
std::string unique_identity();

}  // namespace fairway::kube
