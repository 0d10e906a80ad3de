// SPDX-License-Identifier: Apache-2.0

// Levels and flows of requests: one level is more urgent than the next, and the flows of a level take turns.
// A small version of Kubernetes's API Priority and Fairness.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace fairway::http {

/// Requests that are as urgent as each other.
struct FlowLevel {
  /// Name for metrics and in the text of a refusal: "leases".
  std::string name = {};
  /// Handlers of this level that run at once; 0: as many as the server has threads. A thread that waits for
  /// another process (`OutsideWait`) does not count.
  int threads = 0;
  /// Handlers of one flow that run at once; 0: as many as the level has. Fewer leave a thread to the others,
  /// however long the handlers of one take.
  int threads_of_flow = 0;
  /// Requests that wait for a thread. Beyond it the newest request of the longest flow is refused (429).
  std::size_t queue = 1024;
  /// Requests of one flow that wait for a thread; beyond it 429. 0: as many as the level has.
  std::size_t queue_of_flow = 0;
};

/// The queue in which a request waits. Requests of one flow are served in their order; flows of one level
/// take turns.
struct Flow {
  /// The place in `ServerOptions::levels`; the first one is the most urgent.
  std::size_t level = 0;
  /// Name of the flow for fairness, usually the requester.
  std::string key = {};
  /// The result of parsing the request to choose its flow, if it is kept: the handler finds it as
  /// `Request::context`.
  std::shared_ptr<const void> context = {};
};

/// State and counters of a level, for metrics.
struct FlowCounts {
  std::string level = {};
  std::size_t running = 0, waiting = 0;
  std::uint64_t served = 0;
  /// Requests refused because the queue of the flow or the level was full, and after `queue_timeout`.
  std::uint64_t refused_full = 0, refused_late = 0;
};

/// Marks a scope in which the thread of a blocking handler waits for somebody outside of this process:
/// another thread takes its place, so that a silent peer holds up no other request. The handlers bound how
/// many do so at once. On a thread that is not a server's, and within another one, it does nothing.
class OutsideWait {
 public:
  OutsideWait();
  ~OutsideWait();
  OutsideWait(const OutsideWait&) = delete;
  OutsideWait& operator=(const OutsideWait&) = delete;
};

}  // namespace fairway::http
