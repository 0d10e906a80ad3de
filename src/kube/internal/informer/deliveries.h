// Changes on their way from an informer's store to its handlers.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "kube/informer/handler.h"
#include "kube/internal/informer/store.h"

namespace fairway::kube {

/// A queue whose producer never blocks. Up to `bound` events are queued individually; beyond it events of
/// one object are coalesced, so that however slow a handler is, no more than `bound` events and one for
/// each object are held (and some bytes for each object that came and went
/// meanwhile).
class Deliveries {
 public:
  explicit Deliveries(std::size_t bound) : bound_(bound) {}

  /// Adds a handler that is told of `present` first, then of everything that is pushed from now on.
  /// `complete`: the objects that there are at the beginning are among them.
  HandlerId add(Handler handler, std::vector<SharedObject> present, bool complete);
  /// Nobody calls the handler any more when this returns, but for the handler itself.
  void remove(HandlerId id);
  bool has_handlers() const;
  /// Returns whether a handler has been told of all objects that were there at the beginning.
  bool synced(HandlerId id) const;

  void push(const StoreChange& change);
  /// Objects that are there at the beginning: the first list of a watch, before anything else of that watch.
  /// `complete`: those of all watches have been pushed.
  void push_initial(std::vector<SharedObject> objects, bool complete);
  /// Tells all handlers of these once more; left out where handlers are behind anyway.
  void push_resync(std::vector<SharedObject> objects);

  /// Calls handlers until it is stopped.
  void run(const std::stop_token& stop);

 private:
  struct Registered {
    HandlerId id = 0;
    Handler handler;
    std::uint64_t first = 0;  ///< entries from this number on are for it
    bool removed = false;
    bool synced = false;
  };
  /// From what handlers know of an object to what is.
  struct Step {
    SharedObject before, now, last;
  };
  /// Objects for one handler, or (`id` 0) for all.
  struct Batch {
    HandlerId id = 0;
    std::vector<SharedObject> objects;
    bool resync = false;
    bool complete = false;
  };
  struct Entry {
    Step step;
    std::unique_ptr<Batch> batch;
  };
  using Key = std::pair<std::string, std::string>;
  using Recipients = std::vector<std::shared_ptr<Registered>>;

  static Key key_of(const Step& step);
  void enqueue(Entry entry);
  bool join(const StoreChange& change, const Key& key);
  void deliver(const Entry& entry, std::uint64_t number, const Recipients& recipients);
  template <class Call>
  void tell(Registered& to, const Call& call);

  const std::size_t bound_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Entry> waiting_;
  std::uint64_t front_ = 0;  ///< number of the first that waits
  /// Where changes can be joined: the last entry of an object among those beyond the bound.
  std::map<Key, std::uint64_t> joinable_;
  std::shared_ptr<const Recipients> handlers_ = std::make_shared<Recipients>();
  HandlerId next_id_ = 1;
  bool delivering_ = false;
  bool resync_waits_ = false;
  std::thread::id thread_;
};

}  // namespace fairway::kube
