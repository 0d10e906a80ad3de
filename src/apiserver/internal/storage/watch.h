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
  /// The object after the change. Of a deletion: its last state with the deletion's resourceVersion.
  RecordPtr record;
  /// The object before the change; null for `added`.
  RecordPtr previous;
  /// What all watchers share of this event: its serialised frame, for each form that is watched.
  Derived derived;

  Revision revision() const { return record->revision(); }
  /// The memory that it takes beside the objects that there are: its frames, and the states that are past.
  std::size_t memory() const;
};

using EventPtr = std::shared_ptr<const Event>;

/// Why a watch ended.
enum class WatchEnd {
  slow,       ///< it was overtaken by newer events; a new watch goes on at `Watch::revision()`
  compacted,  ///< what it was to deliver next is no longer kept: 410, the client lists again
  dropped,    ///< its resource was dropped
  closed,     ///< the storage was closed, or the connection is to be cut: a new watch goes on
  failed,     ///< the storage could not be read; a new watch may go on
};

struct WatchQuery {
  std::string resource;
  std::string namespace_name;  ///< empty: all
  /// Events after this revision.
  Revision from = 0;
};

struct WatchBatch {
  std::vector<EventPtr> events;  ///< in the order of their revisions
  /// Everything up to here was delivered with this batch: what a bookmark says. At least that of the last
  /// event.
  Revision revision = 0;
  /// No more will come after these events.
  std::optional<WatchEnd> end;
  /// With `end`: a sentence on it.
  std::string reason;
};

/// No batch has more bytes of objects than this, unless it has one event.
inline constexpr std::size_t most_batch_bytes = 256 << 10;

/// It holds no events: it reads them out of the resource's ring, or out of the file where it begins before
/// the ring. Its methods are for one thread at a time, except `on_ready`'s function, which comes from any.
class Watch {
 public:
  virtual ~Watch() = default;

  /// The next events, at most `limit` of at most `most_batch_bytes`; none if nothing happened. Does not
  /// block, except that a watch that begins before the resource's ring reads SQLite (`may_block`). After a
  /// batch with an `end` it returns the same end.
  virtual WatchBatch poll(std::size_t limit = 256) = 0;
  /// The same, but waits until there is an event or an end. An empty batch without an end: the limits
  /// expired.
  WatchBatch next(Clock& clock, const Limits& limits, std::size_t limit = 256);
  /// `ready` is called once something (of the namespace) came after a `poll` that returned nothing, and at
  /// once if something has come since: then poll again. One call for each poll that returned nothing. It may
  /// come from any thread, also within this call, and should only wake somebody: it must not call the watch.
  /// An empty function ends it: afterwards none is called, nor running.
  virtual void on_ready(std::function<void()> ready) = 0;
  /// Returns whether the next `poll` may read the file.
  virtual bool may_block() const = 0;
  /// Everything up to here was delivered.
  virtual Revision revision() const = 0;
};

}  // namespace fairway::apiserver::storage
