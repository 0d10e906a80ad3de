// SPDX-License-Identifier: Apache-2.0

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

/// A queue of events for handlers, whose producer never blocks. Up to `bound` events are queued individually;
/// beyond it, events of one object are coalesced. So however slow a handler is, at most `bound` events and
/// one for each object are held (and some bytes for each object that was created and deleted meanwhile).
class Deliveries {
 public:
  explicit Deliveries(std::size_t bound) : bound_(bound) {}

  /// Adds a handler. It gets `present` first, then everything that is pushed from now on. `complete`:
  /// `present` includes the initial objects.
  HandlerId add(Handler handler, std::vector<SharedObject> present, bool complete);
  /// Removes a handler. It is not called after this returns, unless the handler itself called this.
  void remove(HandlerId id);
  bool has_handlers() const;
  /// Returns whether a handler has been called for all initial objects.
  bool synced(HandlerId id) const;

  void push(const StoreChange& change);
  /// Pushes initial objects: the first list of a watch, before anything else of that watch. `complete`: the
  /// initial objects of all watches have been pushed.
  void push_initial(std::vector<SharedObject> objects, bool complete);
  /// Sends these objects to all handlers once more; skipped while handlers are behind anyway.
  void push_resync(std::vector<SharedObject> objects);

  /// Calls handlers until it is stopped.
  void run(const std::stop_token& stop);

 private:
  struct Registered {
    HandlerId id = 0;
    Handler handler = {};
    std::uint64_t first = 0;  ///< number of the first entry that is for it
    bool removed = false;
    bool synced = false;
  };
  /// A change of an object, from the state that handlers know to the current one.
  struct Step {
    SharedObject before = {}, now = {}, last = {};
  };
  /// A batch of objects for one handler, or (`id` 0) for all.
  struct Batch {
    HandlerId id = 0;
    std::vector<SharedObject> objects = {};
    bool resync = false;
    bool complete = false;
  };
  struct Entry {
    Step step = {};
    std::unique_ptr<Batch> batch = {};
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
  std::uint64_t front_ = 0;  ///< number of the first entry that waits
  /// Numbers of the entries that later changes can be joined to: the last entry of each object beyond the
  /// bound.
  std::map<Key, std::uint64_t> joinable_;
  std::shared_ptr<const Recipients> handlers_ = std::make_shared<Recipients>();
  HandlerId next_id_ = 1;
  bool delivering_ = false;
  bool resync_waits_ = false;
  std::thread::id thread_;
};

}  // namespace fairway::kube
