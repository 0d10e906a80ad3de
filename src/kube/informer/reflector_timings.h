// SPDX-License-Identifier: Apache-2.0

// The timings of a reflector: watch timeouts, polls and backoff.
#pragma once

#include <chrono>

#include "base/backoff.h"

namespace fairway::kube {

/// Times and backoff of a reflector, with client-go's defaults.
struct ReflectorTimings {
  BackoffSchedule backoff{.first = std::chrono::milliseconds(800),
                          .longest = std::chrono::seconds(30),
                          .jitter = 1,
                          .reset_after = std::chrono::minutes(2)};
  /// Range of a watch's timeout, which is random between these, in whole seconds.
  std::chrono::milliseconds min_watch_timeout{5 * 60'000}, max_watch_timeout{10 * 60'000};
  /// Time after a watch's timeout at which the client closes it if the server has not: the connection may be
  /// dead.
  std::chrono::milliseconds watch_timeout_margin{5'000};
  /// Duration of a short watch: one that ends sooner, without an event, is resumed with backoff.
  std::chrono::milliseconds short_watch{1'000};
  /// Poll interval for a kind that is not served (`InformerOptions::if_served`).
  std::chrono::milliseconds served_check_interval{5'000};
  /// Timeout for one page of a list.
  std::chrono::milliseconds list_timeout{120'000};
};

}  // namespace fairway::kube
