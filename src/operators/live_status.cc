// SPDX-License-Identifier: Apache-2.0

#include "operators/live_status.h"

#include <algorithm>
#include <utility>

namespace fairway::operators {
namespace {

/// Bytes that wait for one slow reader, beside one part of any size.
constexpr std::size_t queued_bytes = std::size_t{64} << 10;
constexpr std::string_view event_begin = "event: ", data_begin = "\ndata: ", event_end = "\n\n";

http::Bytes event_of(std::string_view name, std::string_view json) {
  std::string text(event_begin);
  text += name;
  text += data_begin;
  text += json;
  text += event_end;
  return http::make_bytes(std::move(text));
}

/// Returns the JSON of an event.
std::string_view data_of(std::string_view event, std::string_view name) {
  event.remove_prefix(event_begin.size() + name.size() + data_begin.size());
  event.remove_suffix(event_end.size());
  return event;
}

/// Returns the answer to who has to come later.
http::Response refuse(const std::string& why, const char* retry_after) {
  http::Response refused = http::Response::text(503, why + "\n");
  refused.headers.add("Retry-After", retry_after);
  refused.headers.add("Cache-Control", "no-store");
  return refused;
}

/// A document on its way to one reader.
struct Sending {
  http::Bytes document;
  AddressPlaces::Place place;
};

}  // namespace

LiveStatus::LiveStatus(std::vector<Part> parts, const StatusLimits& limits, Clock& clock)
    : limits_(limits),
      clock_(clock),
      stream_places_(limits.streams, limits.streams_per_address),
      document_places_(limits.documents, limits.documents_per_address) {
  parts_.reserve(parts.size());
  for (Part& part : parts) {
    State state;
    state.part = std::move(part);
    parts_.push_back(std::move(state));
  }
}

void LiveStatus::changed(std::string_view part) {
  {
    const std::lock_guard lock(mutex_);
    for (State& state : parts_)
      if (state.part.name == part) ++state.revision;
    has_news_ = true;
  }
  changed_.notify_all();
}

bool LiveStatus::is_outdated() const {
  return std::ranges::any_of(parts_, [](const State& state) { return state.made != state.revision; });
}

void LiveStatus::publish() {
  const std::lock_guard alone(publish_mutex_);
  for (State& state : parts_) {
    std::uint64_t revision = 0;
    {
      const std::lock_guard lock(mutex_);
      revision = state.revision;
      if (state.made == revision) continue;
    }
    // A change meanwhile is of a later revision, so that it is made again.
    http::Bytes event = event_of(state.part.name, state.part.render());
    const std::lock_guard lock(mutex_);
    state.event = std::move(event);
    state.made = revision;
  }
  // Only this function changes events, and it is alone.
  std::string text = "{";
  for (const State& state : parts_) {
    if (text.size() > 1) text += ',';
    text += '"' + state.part.name + "\":";
    text += data_of(*state.event, state.part.name);
  }
  text += "}\n";
  http::Bytes document = http::make_bytes(std::move(text));
  const std::lock_guard lock(mutex_);
  document_ = std::move(document);
}

http::Response LiveStatus::document(const http::Request& request) {
  Sending sending;
  {
    const std::lock_guard lock(mutex_);
    sending.document = document_;
  }
  if (!sending.document) return refuse("the operator has just started: ask again in a second", "1");
  auto place = document_places_.take(network_of(request.peer));
  if (!place) {
    return refuse(
        place.error() == AddressPlaces::Shortage::address
            ? "your address reads " + std::to_string(limits_.documents_per_address) +
                  " answers of /status already: ask again when one has come"
            : std::to_string(limits_.documents) + " answers of /status are being read: ask again later",
        "1");
  }
  sending.place = *std::move(place);
  http::Response response;
  response.headers = {{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}};
  // The server holds the body until it is sent, and with it the place.
  const auto held = std::make_shared<const Sending>(std::move(sending));
  response.body = http::Bytes(held, held->document.get());
  return response;
}

void LiveStatus::remove_gone() {
  std::erase_if(readers_, [](const std::shared_ptr<Reader>& reader) {
    return reader->stream->cancelled().stop_requested();
  });
}

http::Response LiveStatus::stream(const http::Request& request) {
  const auto reader = std::make_shared<Reader>();
  reader->sent.assign(parts_.size(), 0);
  reader->quiet_since = clock_.steady();
  {
    const std::lock_guard lock(mutex_);
    remove_gone();
    auto place = stream_places_.take(network_of(request.peer));
    if (!place) {
      const std::string who = place.error() == AddressPlaces::Shortage::address
                                  ? "your address has " + std::to_string(limits_.streams_per_address)
                                  : "there are " + std::to_string(limits_.streams);
      return refuse(
          who + " streams of the status already: close one, or ask for /status, which is one answer", "5");
    }
    reader->place = *std::move(place);
    reader->stream = http::Stream::make(queued_bytes);
    readers_.push_back(reader);
    has_news_ = true;
  }
  changed_.notify_all();
  http::Response response;
  response.headers = {{"Content-Type", "text/event-stream"}, {"Cache-Control", "no-store"}};
  response.stream = reader->stream;
  return response;
}

void LiveStatus::wait_for_room(const std::shared_ptr<Reader>& reader) {
  {
    const std::lock_guard lock(mutex_);
    reader->waits = true;
  }
  // It may be called at once: the lock is not held.
  reader->stream->on_room([this, known = std::weak_ptr<Reader>(reader)] {
    const auto ready = known.lock();
    if (!ready) return;
    {
      const std::lock_guard lock(mutex_);
      ready->waits = false;
      has_news_ = true;
    }
    changed_.notify_all();
  });
}

bool LiveStatus::feed(const std::shared_ptr<Reader>& reader) {
  http::Bytes event;
  std::size_t part = 0;
  std::uint64_t revision = 0;
  {
    const std::lock_guard lock(mutex_);
    // Each part has its turn: one that changes all the time would else leave nothing to the others.
    for (std::size_t i = 0; i < parts_.size() && !event; ++i) {
      part = (reader->next + i) % parts_.size();
      revision = parts_[part].made;
      if (reader->sent[part] != revision) event = parts_[part].event;
    }
  }
  const SteadyTime now = clock_.steady();
  const bool is_part = event != nullptr;
  if (!is_part && now - reader->quiet_since < limits_.heartbeat) return false;
  if (!reader->stream->try_push(is_part ? std::move(event) : http::make_bytes(":\n\n"))) {
    wait_for_room(reader);
    return false;
  }
  reader->quiet_since = now;
  if (!is_part) return false;
  reader->sent[part] = revision;
  reader->next = (part + 1) % parts_.size();
  return true;
}

void LiveStatus::feed_all() {
  std::vector<std::shared_ptr<Reader>> fed;
  {
    const std::lock_guard lock(mutex_);
    remove_gone();
    for (const auto& reader : readers_)
      if (!reader->waits) fed.push_back(reader);
  }
  // One event for each in turn.
  while (!fed.empty())
    std::erase_if(fed, [this](const std::shared_ptr<Reader>& reader) { return !feed(reader); });
}

SteadyTime LiveStatus::next_heartbeat() const {
  SteadyTime at = SteadyTime::max();
  for (const auto& reader : readers_)
    if (!reader->waits) at = std::min(at, reader->quiet_since + limits_.heartbeat);
  return at;
}

Result<void> LiveStatus::run(const std::stop_token& stop) {
  SteadyTime next_publish = clock_.steady();
  while (!stop.stop_requested()) {
    bool is_due = false;
    {
      std::unique_lock lock(mutex_);
      const SteadyTime due = is_outdated() ? next_publish : SteadyTime::max();
      changed_.wait(lock, clock_, {.deadline = std::min(due, next_heartbeat()), .stop = stop},
                    [this] { return std::exchange(has_news_, false); });
      is_due = is_outdated() && clock_.steady() >= next_publish;
    }
    if (stop.stop_requested()) break;
    if (is_due) {
      publish();
      next_publish = clock_.steady() + limits_.pause;
    }
    feed_all();
  }
  std::vector<std::shared_ptr<Reader>> ended;
  {
    const std::lock_guard lock(mutex_);
    ended = std::exchange(readers_, {});
  }
  for (const auto& reader : ended) {
    reader->stream->on_room({});
    reader->stream->close();
  }
  return {};
}

}  // namespace fairway::operators
