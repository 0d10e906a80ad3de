// Feeds the streams of all watches.
#pragma once

#include <cstddef>
#include <memory>

#include "apiserver/internal/watch/watch_session.h"
#include "base/clock.h"

namespace fairway::apiserver {

/// A few threads feed all watches: a watch holds no thread, and makes no piece before its client has taken
/// the last ones. A client that is too slow is overtaken by the storage's ring, and its stream ends: it goes
/// on at its version. Users take turns, a piece each. Watches that read the storage's file have a thread of
/// their own, and those whose objects a webhook converts have some, of which one resource has one: neither
/// holds up those whose events are in memory. Safe from all threads.
class WatchHub {
 public:
  explicit WatchHub(Clock& clock);
  /// Ends all streams.
  ~WatchHub();
  WatchHub(const WatchHub&) = delete;
  WatchHub& operator=(const WatchHub&) = delete;

  void add(WatchSpec spec);
  /// Watches that are open now.
  std::size_t size() const;
  /// Times at which one of them has something to do: at most one for each.
  std::size_t timers() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace fairway::apiserver
