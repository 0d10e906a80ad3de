// SPDX-License-Identifier: Apache-2.0

// Limits on the requests that wait for a kubelet or a webhook at once.
#pragma once

#include <chrono>

namespace fairway::apiserver {

/// Limits on requests that wait for a kubelet or a webhook. A request beyond a limit is refused with 429 and
/// a time after which to retry.
struct WaitLimits {
  /// Number of all such requests.
  int total = 64;
  /// Part of `total` that is reserved for members of system:masters and for Leases.
  int reserve = 16;
  /// Places of one user, of one namespace (whoever sends the requests), and for one kubelet or webhook.
  int per_user = 16, per_namespace = 32, per_party = 32;
  /// Time that a request waits for a place before it is refused, as most places are taken for a moment only.
  /// At most `total` requests wait for a place at once.
  std::chrono::milliseconds queue_timeout{1000};

  /// Returns the limits for `total` places, in the proportions of the defaults.
  static WaitLimits of(int total);
};

}  // namespace fairway::apiserver
