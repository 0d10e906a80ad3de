// SPDX-License-Identifier: Apache-2.0

// One I/O thread of the server: its loop, its hold of the listening socket, and the connections that live on
// it.
#pragma once

#include <sys/socket.h>

#include <array>
#include <atomic>
#include <boost/intrusive/list.hpp>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/file_descriptor.h"
#include "http/internal/server/address_table.h"
#include "http/internal/server/begun_table.h"
#include "http/internal/server/connection.h"
#include "http/internal/server/event_loop.h"
#include "http/internal/server/holder.h"
#include "http/internal/server/pool.h"
#include "http/internal/server/rate_limit.h"
#include "http/internal/server/request_body.h"
#include "http/internal/server/router.h"
#include "http/internal/server/session.h"
#include "http/internal/tls/tls.h"

namespace fairway::http {

class Worker;

/// The reason why a connection was closed before its end.
enum class Shed : std::uint8_t { idle, slow, address, full, memory };
constexpr std::size_t shed_kinds = 5;

/// The state that all workers of a server share.
struct ServerState {
  explicit ServerState(const ServerOptions& given);
  ~ServerState();

  ServerOptions options;
  BodyBudget bodies;
  std::shared_ptr<const RouteTable> routes;
  std::unique_ptr<Pool> pool;
  std::unique_ptr<RateLimit> rate_limit;
  MakeSession make_session;
  AddressTable addresses;
  BegunTable begun;      ///< requests that have only begun to come, by age
  AddressTable readers;  ///< memory of replies that wait for their readers, by address
  std::size_t max_connections = 0, max_connections_per_address = 0, max_unfinished_per_address = 0;
  /// Bytes that an incomplete request holds at least.
  std::size_t request_bytes = 0;
  /// Number of incomplete requests and handshakes, and the bytes that they hold.
  std::atomic<std::size_t> unfinished = 0, unfinished_bytes = 0;
  std::atomic<std::size_t> unread_bytes = 0;  ///< bytes that only replies that wait for their readers hold
  std::atomic<std::size_t> next_to_shed = 0;  ///< the worker whose idle connections are closed next, in turn
  std::vector<std::unique_ptr<Worker>> workers;
  std::atomic<bool> retiring = false;  ///< every connection ends with its next reply
  std::atomic<bool> draining = false;  ///< and an idle one ends at once
  std::atomic<std::size_t> open_connections = 0;
  /// Connections and the streams on them, as `max_connections` counts them.
  std::atomic<std::size_t> places = 0;
  std::atomic<std::size_t> open_streams = 0;
  std::atomic<std::uint64_t> total_connections = 0;

  std::mutex mutex;
  std::condition_variable all_closed;  ///< while retiring: no connection is open any more
  TlsContext tls;                      ///< guarded by `mutex`
  /// Counts the certificates that were served: connections of earlier ones end with their next reply.
  std::atomic<std::uint32_t> tls_generation = 0;

  /// The memory of requests that are not complete: read buffers, and bodies beyond them where those have no
  /// limit of their own.
  std::size_t held_bytes() const {
    return unfinished_bytes.load() + (options.max_bodies_bytes == 0 ? bodies.taken() : 0);
  }

  /// Returns the part of a memory limit that is used before other workers are asked to give up slow requests.
  std::size_t usual_part(std::size_t limit) const { return workers.size() > 1 ? usual_share(limit) : limit; }
  /// Returns whether there is no room for `body_bytes` more of a body, or for one more incomplete request.
  bool is_short_of(std::size_t body_bytes) const {
    const std::size_t most = options.max_unfinished_bytes, most_bodies = options.max_bodies_bytes;
    return (most > 0 && held_bytes() > usual_part(most)) ||
           (most_bodies > 0 && bodies.taken() + body_bytes > usual_part(most_bodies));
  }

  /// Gives back what `Worker::take_place` has counted. Safe from all threads.
  void leave_place(const AddressKey& address) {
    places.fetch_sub(1);
    addresses.close(address);
  }

  TlsContext tls_context() {
    const std::scoped_lock lock(mutex);
    return tls;
  }
};

class Worker final : private Ready {
 public:
  /// Takes over a descriptor of the listening socket.
  Worker(ServerState& state, std::unique_ptr<EventLoop> loop, FileDescriptor listener);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Begins to accept, on a thread of its own.
  Result<void> start();

  // From any thread.
  /// Accepts no more and closes idle connections; requests in progress end with `Connection: close`.
  void drain();
  /// Closes all connections; only those whose handler still runs stay until it returns.
  void cut();
  /// Ends the thread.
  void stop();
  std::size_t connections() const { return connections_.load(std::memory_order_relaxed); }
  std::uint64_t requests() const { return requests_.load(std::memory_order_relaxed); }
  std::uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }
  std::uint64_t shed(Shed why) const {
    return shed_[static_cast<std::size_t>(why)].load(std::memory_order_relaxed);
  }

  // For this worker's connections, on its thread.
  EventLoop& loop() { return *loop_; }
  ServerState& state() { return state_; }
  /// Limits how long a connection may stay as it is; `Wait::none` takes the limit away.
  void wait(Holder& holder, Wait what);
  std::chrono::milliseconds limit_of(Wait what) const { return limits_[static_cast<std::size_t>(what)]; }
  /// The answer of `admit`. `memory`: there is no memory for the request.
  enum class Admission : std::uint8_t { admitted, memory };
  /// Admits a connection that keeps an incomplete request, or one that has reached another stage; the request
  /// counts as incomplete until the connection waits for something else. If its address has more than its
  /// share, another request of that address is closed (`BegunTable::give_way`). If memory is short, requests
  /// of the address that holds most are closed for one of an address that holds less, then slow ones.
  Admission admit(Holder& holder);
  /// Counts, or counts again, the bytes of a reply that its reader has not taken, until the connection waits
  /// for something else. If all replies together hold too much, those of the address that holds most are
  /// closed; this one may be among them.
  void count_unread(Holder& holder);
  /// Counts a new connection or stream of this address, if there is room for it or this worker can make room;
  /// else returns the reason why not.
  std::optional<Shed> take_place(const AddressKey& address);
  /// Takes a holder out of all lists and counts.
  void release(Holder& holder);
  /// Returns the room that bodies have together, and the ways to make more.
  BodyRoom body_room();
  /// Lets a connection go on after others had their turn.
  void requeue(Connection& connection);
  /// Removes a connection that has closed its socket from this worker.
  void forget(Connection& connection);
  /// Sets the connection whose request is being parsed: it is not closed to make room for itself. Null: none.
  void parsing(const Holder* holder) { parsing_ = holder; }
  std::unique_ptr<Intake> take_intake();
  void give_back(std::unique_ptr<Intake> intake);
  /// Buffer for a reply's head, used by one reply at a time.
  std::string& scratch() { return scratch_; }
  /// "Server: fairway\r\nDate: ...\r\n", made once a second.
  std::string_view common_fields();
  void count_request() { count(requests_); }
  void count_refused() { count(refused_); }
  void count_shed(Shed why) { count(shed_[static_cast<std::size_t>(why)]); }

 private:
  static void count(std::atomic<std::uint64_t>& counter) {
    // Only this thread writes: no locked instruction is needed.
    counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  void on_ready(std::uint32_t events) override;
  /// Returns the present connections: closing one may close others, which stay until the next turn.
  std::vector<Connection*> all_now();
  SteadyTime after_batch();
  void accept_all();
  /// Begins to serve a socket, or closes it if all workers are full of busy connections.
  void adopt(FileDescriptor socket, const sockaddr_storage& address, std::size_t refused_by);
  void hand_to(Worker& other, FileDescriptor socket, const sockaddr_storage& address, std::size_t refused_by);
  /// Closes a connection to make room for another: one that is idle or slow.
  bool shed_one();
  bool shed_slow_request();
  /// Closes one request of an address that has more than `most`, on any worker: on another one a moment
  /// later. False: none was closed.
  bool shed_begun(const AddressKey& address, std::size_t most, std::uint64_t spared, Shed why);
  /// Closes this worker's request of that number, unless it has come further meanwhile.
  void shed_number(const AddressKey& address, std::uint64_t number, Shed why);
  /// Closes the request of this worker that began to wait first, however recently that was.
  bool shed_oldest_request();
  /// Gives up the oldest request of an address.
  bool shed_oldest_of(const AddressKey& address);
  /// Returns whether there is room for the memory of a connection, because others were closed or will be in a
  /// moment.
  bool make_room_for(const Holder& holder);
  /// Asks the other workers to give up slow requests, if `body_bytes` of a body are needed, and requests of
  /// an address that holds more than `above`. Returns at once.
  void ask_others(std::size_t body_bytes, std::size_t above);
  void shed_for_others(std::size_t body_bytes);
  bool shed_slow_reader();
  /// Closes a connection that does not read its reply, in favour of one that waits: the oldest of the address
  /// that holds most. False: none is left to be closed here.
  bool shed_reader_for(Holder& holder);
  /// Asks the other workers to close readers of the address that holds most. Returns at once.
  void ask_for_readers();
  void shed_heaviest_readers();
  /// Returns the oldest reader of the address that holds most, among those that have waited longest and the
  /// given one.
  Holder& heaviest_of_old_readers(Holder& holder);
  void finish_unread(Holder& holder);
  bool shed_idle_of(const AddressKey& address);
  void shed(Holder& holder, Shed why);
  void finish_unfinished(Holder& holder);
  /// Counts a request that has reached its stage now, and closes another one of its address if need be.
  void begin_stage(Holder& holder);
  /// Counts the bytes of its body received since the last call; false: none that count.
  bool count_body(Holder& holder);
  void pause_accepting();
  void close_listener();
  Worker& least_loaded();

  using DeadlineList =
      boost::intrusive::list<Holder,
                             boost::intrusive::member_hook<Holder, Holder::Hook, &Holder::deadline_hook>,
                             boost::intrusive::constant_time_size<false>>;
  using UnfinishedList =
      boost::intrusive::list<Holder,
                             boost::intrusive::member_hook<Holder, Holder::Hook, &Holder::unfinished_hook>,
                             boost::intrusive::constant_time_size<false>>;
  using ReaderList =
      boost::intrusive::list<Holder,
                             boost::intrusive::member_hook<Holder, Holder::Hook, &Holder::unread_hook>,
                             boost::intrusive::constant_time_size<false>>;
  using AllList = boost::intrusive::list<
      Connection, boost::intrusive::member_hook<Connection, Connection::Hook, &Connection::all_hook>,
      boost::intrusive::constant_time_size<false>>;

  ServerState& state_;
  std::unique_ptr<EventLoop> loop_;
  FileDescriptor listener_;
  bool accepting_ = false;
  SteadyTime resume_accepting_ = SteadyTime::max();
  SteadyTime next_accept_warning_ = SteadyTime::min();
  AllList all_;
  std::array<DeadlineList, wait_kinds> deadlines_;  ///< each in order of deadline
  std::array<std::chrono::milliseconds, wait_kinds> limits_{};
  /// Requests that have only begun to come, of each address, the oldest first.
  std::unordered_map<AddressKey, UnfinishedList, AddressHash> unfinished_;
  /// Replies that wait for their readers, of each address, the oldest first.
  std::unordered_map<AddressKey, ReaderList, AddressHash> readers_;
  std::vector<Connection*> ready_;
  const Holder* parsing_ = nullptr;
  std::atomic<bool> asked_to_shed_ = false, asked_for_readers_ = false;
  std::atomic<std::size_t> shed_above_ = SIZE_MAX;
  std::vector<std::unique_ptr<Connection>> closed_connections_;  ///< freed after the events of this turn
  std::vector<std::unique_ptr<Intake>> intakes_;
  std::string scratch_;
  std::string common_fields_;
  std::time_t common_fields_second_ = 0;
  std::atomic<std::size_t> connections_ = 0;
  std::atomic<std::uint64_t> requests_ = 0, refused_ = 0;
  std::array<std::atomic<std::uint64_t>, shed_kinds> shed_{};
  std::jthread thread_;
};

}  // namespace fairway::http
