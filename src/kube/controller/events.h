// Telling people what happened to an object: Events, sent beside the work.
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
#include "k8s/core.h"
#include "kube/client/client.h"
#include "kube/controller/internal/event_correlator.h"

namespace fairway::kube {

struct EventOptions {
  EventLimits limits;
  /// Events that wait to be sent; beyond it new ones are dropped.
  std::size_t capacity = 1000;
  /// How often one is sent again where no answer came, and after how long.
  int attempts = 12;
  std::chrono::nanoseconds pause = std::chrono::seconds(10);
  /// Which process this is; empty: the host's name.
  std::string instance;
};

/// Sends events one after another on a thread of its own. Events are a help and no more: what cannot be sent
/// is dropped, and nobody waits for it. Safe from all threads.
class EventSink {
 public:
  /// `registry` may be null.
  EventSink(std::shared_ptr<Client> client, EventOptions options, metrics::Registry* registry = nullptr);
  /// Drops what was not sent.
  ~EventSink();
  EventSink(const EventSink&) = delete;
  EventSink& operator=(const EventSink&) = delete;

  /// `event` has everything but a name, a count and times.
  void send(k8s::Event event);
  /// Waits until all has been sent or dropped, or `limit` has passed (by the machine's clock); false then.
  bool flush(std::chrono::nanoseconds limit);
  const std::string& instance() const { return options_.instance; }

 private:
  void run(const std::stop_token& stop);
  void deliver(k8s::Event event, const std::stop_token& stop);
  ApiResult<k8s::Dynamic> write(const EventCorrelator::Sending& sending, const std::stop_token& stop);

  const std::shared_ptr<Client> client_;
  const EventOptions options_;
  metrics::Counter sent_, dropped_, spam_;
  EventCorrelator correlator_;  ///< of the thread alone
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<k8s::Event> waiting_;
  bool busy_ = false;
  std::jthread thread_;  ///< the last member: it uses the others
};

/// Says things in the name of one component. Cheap to copy; the sink must outlive it.
class EventRecorder {
 public:
  EventRecorder(EventSink& sink, std::string component) : sink_(&sink), component_(std::move(component)) {}

  /// `about` must come from a server. `reason` is one word for machines ("Scheduled"), `message` is for
  /// people; of a long one the beginning is kept.
  void normal(const k8s::Dynamic& about, std::string_view reason, std::string_view message) const {
    record(about, "Normal", reason, message);
  }
  /// The same of what somebody should look at.
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
