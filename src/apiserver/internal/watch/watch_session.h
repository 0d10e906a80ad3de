// SPDX-License-Identifier: Apache-2.0

// One watch of a client, which is fed piece by piece.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "apiserver/internal/objects/selected.h"
#include "apiserver/internal/storage/storage.h"
#include "apiserver/internal/watch/object_form.h"
#include "base/clock.h"
#include "http/message.h"
#include "k8s/status.h"

namespace fairway::apiserver::watch {

/// One watch of a client.
struct WatchSpec {
  std::unique_ptr<storage::Watch> events;
  std::shared_ptr<http::Stream> stream;
  std::shared_ptr<const ObjectForm> form;
  /// The user for whom fairness counts it.
  std::string flow;
  objects::Selection selection;
  /// Objects that are sent first, as ADDED: the selected ones of `initial_query`.
  std::vector<storage::RecordPtr> initial;
  /// Query that reads them again, at the revision that they show, for a client that is slow to take them.
  storage::ListQuery initial_query;
  storage::Storage* storage = nullptr;
  /// The bookmark that ends the initial objects, if the client waits for one, with this version.
  std::optional<storage::Revision> initial_end;
  /// True to send a bookmark about every minute.
  bool bookmarks = false;
  /// Time at which the server ends the watch.
  SteadyTime until;
};

/// A watch whose pieces a `Feeder` makes, on one thread at a time.
class WatchSession : public std::enable_shared_from_this<WatchSession> {
 public:
  /// Feeds sessions. Its methods are safe from all threads.
  class Feeder {
   public:
    virtual ~Feeder() = default;
    virtual Clock& clock() = 0;
    /// Feeds the session once more.
    virtual void enqueue(const std::shared_ptr<WatchSession>& session) = 0;
    /// Feeds it at this time, in place of the time before.
    virtual void schedule(SteadyTime at, const std::shared_ptr<WatchSession>& session) = 0;
  };
  using Times = std::multimap<SteadyTime, std::weak_ptr<WatchSession>>;

  WatchSession(Feeder& feeder, WatchSpec spec) : feeder_(feeder), spec_(std::move(spec)) {}

  void begin();
  /// Breaks the client's connection instead of the next piece. Safe from all threads.
  void cut();

  /// The origin of its next piece, from the fastest to the slowest.
  enum class Source : std::uint8_t { memory, file, webhook };
  /// Returns the present source. For the thread that may feed it.
  Source source() const;
  /// Returns the identity of the resource: a webhook is called for one watch of a resource at a time.
  const void* resource() const { return spec_.form->resource().strategy.get(); }
  /// Returns the resource. Safe from all threads.
  const resources::ServedResource& served() const { return spec_.form->resource(); }
  /// Returns the queue that it waits in to be fed: sessions of one flow come one after the other.
  std::string flow() const;

  enum class State : std::uint8_t {
    waiting,  ///< waits for the client, an event or a time
    ready,    ///< it has more to do: others come first, or its source has changed
    ended,
  };
  /// Makes about one piece, from a source that is as fast as this one.
  State feed(Source source);
  /// Ends the session. Call it when no thread feeds it any more.
  void release();
  /// Returns the time at which it has something to do by itself. For the thread that feeds it.
  SteadyTime next_time() const;
  /// Returns the time from which `rest` releases objects; `SteadyTime::max()`: there are none. For the thread
  /// that feeds it.
  SteadyTime rest_time() const;

  /// Releases initial objects that have waited for too long; returns whether it did. Call it while no thread
  /// feeds it.
  bool rest(SteadyTime now);
  /// Returns the user that it belongs to.
  const std::string& user() const { return spec_.flow; }

  // Of the feeder, and guarded by its mutex:
  Source queued_for = Source::memory;  ///< the source that it waits for, while it is queued
  bool queued = false, running = false, needs_run = false, ended = false;
  std::optional<Times::iterator> time;

 private:
  void schedule() { feeder_.schedule(next_time(), shared_from_this()); }
  std::function<void()> waker();

  bool push_pieces();
  /// Resets the times to those of a client that is not slow: it has taken something, or may do so.
  void end_stall();
  /// Waits until the client has taken something, or for its end.
  State stall();

  bool holds_initial() const { return next_initial_ < spec_.initial.size(); }
  bool may_release() const { return holds_initial() && spec_.storage != nullptr; }
  bool has_initial() const { return holds_initial() || rereads_; }
  /// Reads the next page of the objects that the client has not taken. Returns false if there is nothing to
  /// send of it.
  bool reread_initial();
  void add_initial();
  /// Makes pieces of events, and polls for more if there are none. Returns the bytes of the events that it
  /// has read; at least one for each.
  std::size_t add_events();
  void add(const storage::Event& event);
  void add_bookmark(storage::Revision revision, bool ends_initial);
  void add_error(const k8s::Status& status);

  Feeder& feeder_;
  WatchSpec spec_;
  /// Pieces that wait for room, from `next_piece_` on.
  std::vector<http::Bytes> pieces_;
  std::size_t next_piece_ = 0;
  std::size_t next_initial_ = 0;
  /// Path of the last initial object that was made, and of the last one of its page, if it was read again.
  std::string last_initial_, page_end_;
  bool rereads_ = false;  ///< there are more initial objects than `spec_.initial` has
  /// Events of the last poll, from `next_event_` on.
  std::vector<storage::EventPtr> batch_;
  std::size_t next_event_ = 0;
  /// End that comes after the events, if there is one, and its reason.
  std::optional<storage::WatchEnd> end_;
  std::string end_reason_;
  // As many as have about the bytes of a piece, by the last ones.
  std::size_t events_at_once_ = 1, records_at_once_ = 1;
  std::optional<SteadyTime> stalled_since_;
  SteadyTime fed_;  ///< time at which it began, or was last fed
  SteadyTime next_bookmark_;
  bool ends_ = false;
  std::atomic<bool> cut_ = false;
  bool in_line_ = false;  ///< the last piece that was pushed ends within a line
  bool first_ = true;     ///< nothing was made for this client
  std::optional<std::stop_callback<std::function<void()>>> cancelled_, retired_;
};

}  // namespace fairway::apiserver::watch
