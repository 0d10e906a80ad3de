// SPDX-License-Identifier: Apache-2.0

// Events about objects, sent asynchronously.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "base/metrics.h"
#include "base/timed_condition.h"
#include "k8s/core.h"
#include "kube/client/client.h"
#include "kube/controller/event_limits.h"
#include "kube/internal/controller/event_correlator.h"

namespace fairway::kube {

struct EventOptions {
  EventLimits limits = {};
  /// Capacity of the send queue; beyond it new events are dropped.
  std::size_t capacity = 1000;
  /// Attempts to send an event without a reply, and the pause between them.
  int attempts = 12;
  std::chrono::nanoseconds pause = std::chrono::seconds(10);
  /// The reporting instance; empty: the host name.
  std::string instance = {};
};

/// Sends events one at a time on its own thread. Best effort: events that cannot be sent are dropped, and
/// callers never block. Safe from all threads.
class EventSink {
 public:
  /// Creates a sink. `registry` may be null.
  EventSink(std::shared_ptr<Client> client, EventOptions options, metrics::Registry* registry = nullptr);
  /// Drops unsent events.
  ~EventSink();
  EventSink(const EventSink&) = delete;
  EventSink& operator=(const EventSink&) = delete;

  /// Queues an event. `event` must be complete except for name, count and times.
  void send(k8s::Event event);
  /// Waits until all events are sent or dropped; false if `limit` passes first (by the client's clock).
  bool flush(std::chrono::nanoseconds limit);
  const std::string& instance() const { return options_.instance; }

 private:
  void run(const std::stop_token& stop);
  void deliver(k8s::Event event, const std::stop_token& stop);
  ApiResult<k8s::Dynamic> write(const EventCorrelator::Sending& sending, const std::stop_token& stop);

  const std::shared_ptr<Client> client_;
  const EventOptions options_;
  metrics::Counter sent_, dropped_, spam_;
  EventCorrelator correlator_;  ///< used by the thread only
  std::mutex mutex_;
  std::condition_variable_any changed_;
  TimedCondition idle_;  ///< notified when all events are sent or dropped
  std::deque<k8s::Event> waiting_;
  bool busy_ = false;
  std::jthread thread_;  ///< the last member: it uses the others
};

/// Records events for one component. Cheap to copy; the sink must outlive it.
class EventRecorder {
 public:
  EventRecorder(EventSink& sink, std::string component) : sink_(&sink), component_(std::move(component)) {}

  /// Records an event of type Normal. `about` must be an object from a server. `reason` is one word for
  /// machines ("Scheduled"), `message` is for people; long messages are truncated.
  void normal(const k8s::Dynamic& about, std::string_view reason, std::string_view message) const {
    record(about, "Normal", reason, message);
  }
  /// Records an event of type Warning.
  void warning(const k8s::Dynamic& about, std::string_view reason, std::string_view message) const {
    record(about, "Warning", reason, message);
  }

 private:
  void record(const k8s::Dynamic& about, std::string_view type, std::string_view reason,
              std::string_view message) const;

  EventSink* sink_;
  std::string component_;
};

}  // namespace fairway::kube
