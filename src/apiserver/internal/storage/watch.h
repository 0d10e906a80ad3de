// SPDX-License-Identifier: Apache-2.0

// Watches: the changes of one resource, from a revision on.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apiserver/internal/storage/record.h"
#include "base/limits.h"

namespace fairway::apiserver::storage {

enum class EventType { added, modified, deleted };

/// One change of one object; shared by all watchers.
struct Event {
  EventType type = EventType::added;
  /// The object after the change; for a deletion its last state with the deletion's resourceVersion.
  RecordPtr record;
  /// The object before the change; null for `added`.
  RecordPtr previous;
  /// Values that all watchers of this event share: its serialised frame, for each form that is watched.
  Derived derived;

  Revision revision() const { return record->revision(); }
  /// Memory that it takes besides the current objects: its frames, and the past states.
  std::size_t memory() const;
};

using EventPtr = std::shared_ptr<const Event>;

/// Reason why a watch ended.
enum class WatchEnd {
  slow,       ///< it was overtaken by newer events; a new watch goes on at `Watch::revision()`
  compacted,  ///< its next events are no longer kept: 410, the client lists again
  dropped,    ///< its resource was dropped
  closed,     ///< the storage was closed, or the connection is to be cut: a new watch goes on
  failed,     ///< the storage could not be read; a new watch may go on
};

struct WatchQuery {
  std::string resource;
  std::string namespace_name;  ///< empty: all
  /// Revision after which events are delivered.
  Revision from = 0;
};

struct WatchBatch {
  std::vector<EventPtr> events;  ///< in the order of their revisions
  /// Revision up to which everything was delivered with this batch, as a bookmark says. At least that of the
  /// last event.
  Revision revision = 0;
  /// End of the watch: no more events come after these.
  std::optional<WatchEnd> end;
  /// Sentence about `end`.
  std::string reason;
};

/// Most bytes of objects in a batch, unless it has one event.
inline constexpr std::size_t most_batch_bytes = 256 << 10;

/// A watch. It holds no events: it reads them from the resource's ring, or from the file if it begins before
/// the ring. Its methods are for one thread at a time, except the function of `on_ready`, which any thread
/// calls.
class Watch {
 public:
  virtual ~Watch() = default;

  /// Returns the next events, at most `limit` of at most `most_batch_bytes`; none if nothing happened. Does
  /// not block, except that a watch that begins before the resource's ring reads SQLite (`may_block`). After
  /// a batch with an `end` it returns the same end.
  virtual WatchBatch poll(std::size_t limit = 256) = 0;
  /// Polls, and waits until there is an event or an end. An empty batch without an end: the limits expired.
  WatchBatch next(Clock& clock, const Limits& limits, std::size_t limit = 256);
  /// Sets a function that is called once an event (of the namespace) came after a `poll` that returned
  /// nothing, and at once if one has come since: then poll again. It is called once for each such poll. Any
  /// thread may call it, also within this call; it should only wake somebody, and must not call the watch. An
  /// empty function ends it: afterwards none is called, nor running.
  virtual void on_ready(std::function<void()> ready) = 0;
  /// Returns whether the next `poll` may read the file.
  virtual bool may_block() const = 0;
  /// Revision up to which everything was delivered.
  virtual Revision revision() const = 0;
};

}  // namespace fairway::apiserver::storage
