// SPDX-License-Identifier: Apache-2.0

// Feeds the streams of all watches.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "apiserver/internal/watch/watch_session.h"
#include "base/clock.h"

namespace fairway::apiserver::watch {

/// Feeds all watches with a few threads: a watch holds no thread, and makes no piece before its client has
/// taken the last ones. A client that is too slow is overtaken by the storage's ring, and its stream ends; it
/// resumes at its version. Users take turns, a piece each. Watches that read the storage's file have a thread
/// of their own. Those whose objects a webhook converts have some, one for each resource. Neither delays
/// watches whose events are in memory. Safe from all threads.
class WatchHub {
 public:
  explicit WatchHub(Clock& clock);
  /// Ends all streams.
  ~WatchHub();
  WatchHub(const WatchHub&) = delete;
  WatchHub& operator=(const WatchHub&) = delete;

  void add(WatchSpec spec);
  /// Breaks the connections of the open watches whose resource fits, as a failing network does. Returns their
  /// number. For tests of clients.
  std::size_t cut(const std::function<bool(const resources::ServedResource&)>& fits);
  /// Number of watches that are open now.
  std::size_t size() const;
  /// Number of times at which a watch has something to do: at most one for each.
  std::size_t timers() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace fairway::apiserver::watch
