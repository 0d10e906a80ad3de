// SPDX-License-Identifier: Apache-2.0

// Limits on the rate at which failed reconciles are retried.
#pragma once

#include <chrono>

namespace fairway::kube {

/// The defaults of client-go's work queue.
struct RetryLimits {
  /// Backoff of each object: `first`, doubled after every further failure, at most `longest`.
  std::chrono::nanoseconds first = std::chrono::milliseconds(5);
  std::chrono::nanoseconds longest = std::chrono::seconds(1000);
  /// Rate limit of all objects together.
  double per_second = 10;
  double burst = 100;
};

}  // namespace fairway::kube
