// SPDX-License-Identifier: Apache-2.0

#include "kube/controller/events.h"

#include <unistd.h>

#include <array>
#include <utility>

#include "base/log.h"

namespace fairway::kube {

namespace {

EventOptions with_instance(EventOptions options) {
  if (!options.instance.empty()) return options;
  std::array<char, 256> host{};
  options.instance = gethostname(host.data(), host.size() - 1) == 0 ? host.data() : "unknown";
  return options;
}

/// Returns the text cut to at most `longest` bytes, between characters.
std::string cut(std::string_view text, std::size_t longest) {
  if (text.size() <= longest) return std::string(text);
  constexpr std::string_view ellipsis = "...";
  std::size_t end = longest - ellipsis.size();
  const auto is_middle = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
  };
  while (end > 0 && is_middle(end)) --end;
  return std::string(text.substr(0, end)) + std::string(ellipsis);
}

}  // namespace

EventSink::EventSink(std::shared_ptr<Client> client, EventOptions options, metrics::Registry* registry)
    : client_(std::move(client)),
      options_(with_instance(std::move(options))),
      correlator_(options_.limits, client_->clock()) {
  if (registry != nullptr) {
    const auto counter = [&](const char* result) {
      return registry->counter("fairway_events_total", "Events about objects, by what became of them.",
                               {{"result", result}});
    };
    sent_ = counter("sent");
    dropped_ = counter("dropped");
    spam_ = counter("limited");
  }
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

EventSink::~EventSink() {
  thread_.request_stop();
}

void EventSink::send(k8s::Event event) {
  const std::lock_guard lock(mutex_);
  if (waiting_.size() >= options_.capacity) {
    dropped_.add();
    return;
  }
  waiting_.push_back(std::move(event));
  changed_.notify_all();
}

bool EventSink::flush(std::chrono::nanoseconds limit) {
  std::unique_lock lock(mutex_);
  Clock& clock = client_->clock();
  return idle_.wait(lock, clock, Limits::within(clock, limit), [&] { return waiting_.empty() && !busy_; });
}

void EventSink::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [&] { return !waiting_.empty(); }) && !stop.stop_requested()) {
    k8s::Event event = std::move(waiting_.front());
    waiting_.pop_front();
    busy_ = true;
    lock.unlock();
    deliver(std::move(event), stop);
    lock.lock();
    busy_ = false;
    if (waiting_.empty()) idle_.notify_all();
  }
}

ApiResult<k8s::Dynamic> EventSink::write(const EventCorrelator::Sending& sending,
                                         const std::stop_token& stop) {
  static const k8s::GroupVersionResource resource = k8s::Event::resource.group_version_resource();
  const Limits limits{.stop = stop};
  const k8s::Event& event = sending.event;
  if (sending.is_update) {
    const json::Object patch{{"count", event.count()},
                             {"lastTimestamp", event.time_text("lastTimestamp")},
                             {"message", event.message()}};
    auto patched =
        client_->patch(resource, event.key(), PatchType::merge, json::Value(patch), {}, {}, limits);
    // Servers forget events after an hour.
    if (patched || !patched.error().is_not_found()) return patched;
  }
  return client_->create(resource, event, {}, limits);
}

void EventSink::deliver(k8s::Event event, const std::stop_token& stop) {
  const auto sending = correlator_.correlate(std::move(event));
  if (!sending) return spam_.add();
  Clock& clock = client_->clock();
  for (int attempt = 1; !stop.stop_requested(); ++attempt) {
    const auto written = write(*sending, stop);
    // The reply to an earlier attempt was lost: it exists.
    if (written || (attempt > 1 && written.error().is_already_exists())) {
      correlator_.written(sending->key);
      return sent_.add();
    }
    if (stop.stop_requested()) break;
    const bool will_retry = written.error().code == ErrorCode::unavailable ||
                            written.error().code == ErrorCode::deadline_exceeded;
    if (!will_retry || attempt >= options_.attempts) {
      log::warning("an event was dropped", {{"event", sending->event.key().to_string()},
                                            {"reason", std::string(sending->event.reason())},
                                            {"error", written.error().message}});
      break;
    }
    clock.wait_until(clock.steady() + options_.pause, stop);
  }
  dropped_.add();
}

void EventRecorder::record(const k8s::Dynamic& about, std::string_view type, std::string_view reason,
                           std::string_view message) const {
  // The limits of the API server.
  constexpr std::size_t longest_message = 1024, longest_reason = 128;
  k8s::Event event;
  event.set_resource(k8s::Event::resource);
  event.set_namespace_name(about.namespace_name().empty() ? "default" : about.namespace_name());
  event.set_involved_object(about);
  event.set_type(type);
  event.set_reason(cut(reason, longest_reason));
  event.set_message(cut(message, longest_message));
  event.set_component(component_, sink_->instance());
  sink_->send(std::move(event));
}

}  // namespace fairway::kube
