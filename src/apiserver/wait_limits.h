// How many requests may wait for somebody outside of the server at once.
#pragma once

#include <chrono>

namespace fairway::apiserver {

/// Requests that wait for a kubelet or a webhook. Beyond a limit a request is refused (429), and told when to
/// come again.
struct WaitLimits {
  /// All together.
  int total = 64;
  /// Of those, for members of system:masters and for Leases alone.
  int reserve = 16;
  /// Places of one user; of one namespace, whoever sends the requests; and for one kubelet or webhook.
  int per_user = 16, per_namespace = 32, per_party = 32;
  /// How long a request waits for a place before it is refused: others are there for a moment only. As many
  /// do so at once as there are places.
  std::chrono::milliseconds patience{1000};

  /// Shares of so many, in the proportions of the defaults.
  static WaitLimits of(int total);
};

}  // namespace fairway::apiserver
