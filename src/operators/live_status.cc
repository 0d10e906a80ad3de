// SPDX-License-Identifier: Apache-2.0

#include "operators/live_status.h"

#include <algorithm>

namespace fairway::operators {
namespace {

/// Bytes that wait for one slow reader, beside one part of any size.
constexpr std::size_t queued_bytes = std::size_t{64} << 10;
constexpr std::string_view event_begin = "event: ", data_begin = "\ndata: ", event_end = "\n\n";

/// Returns the JSON of an event.
std::string_view data_of(std::string_view event, std::string_view name) {
  event.remove_prefix(event_begin.size() + name.size() + data_begin.size());
  event.remove_suffix(event_end.size());
  return event;
}

}  // namespace

LiveStatus::LiveStatus(std::vector<Part> parts, const StreamLimits& limits, Clock& clock)
    : limits_(limits), clock_(clock) {
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

std::pair<http::Bytes, std::uint64_t> LiveStatus::event_of(std::size_t part) {
  const std::lock_guard render(render_mutex_);
  State& state = parts_[part];
  std::uint64_t revision = 0;
  {
    const std::lock_guard lock(mutex_);
    revision = state.revision;
  }
  if (state.rendered != revision) {
    // A change meanwhile is of a later revision, so that it is made again.
    std::string text(event_begin);
    text += state.part.name;
    text += data_begin;
    text += state.part.render();
    text += event_end;
    state.event = http::make_bytes(std::move(text));
    state.rendered = revision;
  }
  return {state.event, revision};
}

std::vector<std::uint64_t> LiveStatus::revisions() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::uint64_t> all;
  for (const State& state : parts_) all.push_back(state.revision);
  return all;
}

http::Response LiveStatus::document() {
  std::string text = "{";
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const auto [event, revision] = event_of(i);
    if (i > 0) text += ',';
    text += '"' + parts_[i].part.name + "\":";
    text += data_of(*event, parts_[i].part.name);
  }
  http::Response response = http::Response::json(200, text + "}\n");
  response.headers.add("Cache-Control", "no-store");
  return response;
}

void LiveStatus::remove_gone() {
  std::erase_if(readers_, [](const std::shared_ptr<Reader>& reader) {
    return reader->stream->cancelled().stop_requested();
  });
}

http::Response LiveStatus::stream() {
  const auto reader = std::make_shared<Reader>();
  reader->sent.assign(parts_.size(), 0);
  reader->quiet_since = clock_.steady();
  {
    const std::lock_guard lock(mutex_);
    remove_gone();
    if (readers_.size() >= limits_.streams) {
      http::Response refused = http::Response::text(
          503, "there are " + std::to_string(limits_.streams) +
                   " streams of the status already: close one, or ask for /status, which is one answer\n");
      refused.headers.add("Retry-After", "5");
      refused.headers.add("Cache-Control", "no-store");
      return refused;
    }
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

bool LiveStatus::feed(Reader& reader) {
  bool is_behind = false;
  const SteadyTime now = clock_.steady();
  const std::vector<std::uint64_t> newest = revisions();
  for (std::size_t i = 0; i < newest.size(); ++i) {
    if (reader.sent[i] == newest[i]) continue;
    if (!reader.stream->has_room()) {
      is_behind = true;
      break;
    }
    auto [event, revision] = event_of(i);
    if (!reader.stream->try_push(std::move(event))) {
      is_behind = true;
      break;
    }
    reader.sent[i] = revision;
    reader.quiet_since = now;
  }
  // A reader with something in its queue needs no sign of life.
  if (now - reader.quiet_since >= limits_.heartbeat && reader.stream->has_room() &&
      reader.stream->try_push(http::make_bytes(":\n\n")))
    reader.quiet_since = now;
  return is_behind;
}

Result<void> LiveStatus::run(const std::stop_token& stop) {
  bool is_behind = false;
  while (!stop.stop_requested()) {
    std::vector<std::shared_ptr<Reader>> readers;
    {
      std::unique_lock lock(mutex_);
      // Who has fallen behind is looked at again, as nobody says when there is room.
      Limits limits{.stop = stop};
      if (!readers_.empty())
        limits = Limits::within(clock_, is_behind ? limits_.pause : limits_.heartbeat / 2, stop);
      changed_.wait(lock, clock_, limits, [this] { return has_news_; });
      has_news_ = false;
      remove_gone();
      readers = readers_;
    }
    is_behind = false;
    for (const auto& reader : readers) is_behind |= feed(*reader);
    if (readers.empty()) continue;
    // What changes within the pause is sent together.
    clock_.wait_until(clock_.steady() + limits_.pause, stop);
  }
  const std::lock_guard lock(mutex_);
  for (const auto& reader : readers_) reader->stream->close();
  readers_.clear();
  return {};
}

}  // namespace fairway::operators
