// How often an informer asks a server, and how long it waits for it.
#pragma once

#include <chrono>

#include "base/backoff.h"

namespace fairway::kube {

/// client-go's times.
struct ReflectorTimings {
  BackoffSchedule backoff{.first = std::chrono::milliseconds(800),
                          .longest = std::chrono::seconds(30),
                          .jitter = 1,
                          .reset_after = std::chrono::minutes(2)};
  /// The timeout of a watch is random between these, in whole seconds.
  std::chrono::milliseconds min_watch_timeout{5 * 60'000}, max_watch_timeout{10 * 60'000};
  /// A watch that the server has not ended this long after its timeout is closed: the connection may be dead.
  std::chrono::milliseconds watch_timeout_margin{5'000};
  /// A watch that ends sooner than this, without an event, is resumed with backoff.
  std::chrono::milliseconds short_watch{1'000};
  /// How often to ask for a kind that is not served (`InformerOptions::if_served`).
  std::chrono::milliseconds served_check_interval{5'000};
  /// For one page of a list.
  std::chrono::milliseconds list_timeout{120'000};
};

}  // namespace fairway::kube
