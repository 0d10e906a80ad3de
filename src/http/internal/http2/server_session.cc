// SPDX-License-Identifier: Apache-2.0

#include "http/internal/http2/server_session.h"

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "http/internal/http2/server_callbacks.h"
#include "http/internal/server/worker.h"

namespace fairway::http {
namespace {

/// Bytes read at a time, and how often in a row before other connections have their turn; requests, and bytes
/// of replies, after which they have it as well.
constexpr std::size_t read_bytes = 16 * 1024;
constexpr int turns = 4;
constexpr std::size_t most_requests = 32, most_sent_bytes = 1024 * 1024;
/// Bytes of frames that are taken from nghttp2 before the socket has taken them. More would only make a
/// stream wait behind what others have queued.
constexpr std::size_t most_output_bytes = 64 * 1024;
/// Frames that wait for a client that does not read, beyond which nothing is read from it.
constexpr std::size_t most_waiting_frames = 512;
/// Time in which a client learns that no more requests are taken; those of this time are still answered.
constexpr std::chrono::seconds notice_time{1};
/// The cost of a stream that is refused (`FrameBudget`).
constexpr double refusal_cost = 1;

/// Returns the error code for a failure of nghttp2's reader.
Http2Session::Reason reason_of(ssize_t failure) {
  switch (failure) {
    case NGHTTP2_ERR_FLOODED:
    case NGHTTP2_ERR_TOO_MANY_CONTINUATIONS:
      return Http2Session::Reason::enhance_your_calm;
    case NGHTTP2_ERR_BAD_CLIENT_MAGIC:
      return Http2Session::Reason::protocol_error;
    default:
      return Http2Session::Reason::internal_error;
  }
}

}  // namespace

Http2Session::Http2Session(Connection& connection)
    : connection_(connection),
      peer_(std::make_shared<const Peer>(connection.peer())),
      budget_(connection.worker().loop().now()) {
  session_.reset(make_server_session(*this, connection.worker().state().options));
  if (!session_) throw std::bad_alloc();
}

Http2Session::~Http2Session() {
  leave(false);
}

void Http2Session::advance() {
  scheduled_ = reading_waits_ = false;
  turn_requests_ = 0;
  turn_bytes_ = most_sent_bytes;
  if (left_) return;
  if (!ending_) read();
  if (!left_) write();
  if (!left_) settle();
  if (left_) return;
  forgotten_.clear();
  // Nobody else calls: the bytes are there, or the socket took all of this turn's.
  if ((reading_waits_ && output_.empty()) || turn_bytes_ == 0) schedule();
}

void Http2Session::read() {
  std::array<char, read_bytes> bytes;
  for (int turn = 0; connection_.is_readable(); ++turn) {
    reading_waits_ =
        (!output_.empty() && nghttp2_session_get_outbound_queue_size(session_.get()) > most_waiting_frames) ||
        turn == turns || turn_requests_ >= most_requests;
    if (reading_waits_) return;
    std::size_t got = 0;
    switch (connection_.receive(bytes.data(), bytes.size(), got)) {
      case Connection::Io::blocked:
        return;
      case Connection::Io::closed:
      case Connection::Io::failed:
        return connection_.close();
      case Connection::Io::done:
        break;
    }
    if (!feed({bytes.data(), got})) return;
    write();
    if (left_ || has_finished()) return;
  }
}

bool Http2Session::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    bool is_head = false;
    const std::string_view piece = scanner_.next(bytes, is_head);
    if (piece.empty()) continue;
    if (is_head) judge(scanner_.head());
    ssize_t used = 0;
    if (!fault_) {
      busy_ = true;
      used = nghttp2_session_mem_recv(session_.get(), reinterpret_cast<const std::uint8_t*>(piece.data()),
                                      piece.size());
      busy_ = false;
    }
    if (left_) return false;
    if (used >= 0 && !fault_) continue;
    end(fault_ ? *fault_ : reason_of(used));
    return false;
  }
  return true;
}

bool Http2Session::pull() {
  busy_ = true;
  ssize_t size = 1;
  while (size > 0 && !is_full() && nghttp2_session_want_write(session_.get()) != 0) {
    const std::uint8_t* bytes = nullptr;
    size = nghttp2_session_mem_send(session_.get(), &bytes);
    if (size > 0) output_.append({reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size)});
  }
  busy_ = false;
  if (left_) return false;
  if (size < 0) connection_.close(true);
  return size >= 0;
}

void Http2Session::write() {
  while (turn_bytes_ > 0 && pull() && !output_.empty()) {
    switch (output_.flush(connection_, turn_bytes_)) {
      case Connection::Io::done:
        break;
      case Connection::Io::blocked:
        return;
      case Connection::Io::closed:
      case Connection::Io::failed:
        return connection_.close(true);
    }
  }
}

bool Http2Session::has_finished() const {
  return nghttp2_session_want_read(session_.get()) == 0 && nghttp2_session_want_write(session_.get()) == 0;
}

void Http2Session::settle() {
  // Counting one may end others, and what is written then counts anew.
  do {
    for (Http2Stream* stream : std::exchange(touched_, {})) {
      stream->is_touched = false;
      stream->settle();
      if (left_) return;
    }
    write();
    if (left_) return;
  } while (!touched_.empty());
  settle_connection();
}

void Http2Session::settle_connection() {
  if (noticed_ && streams_.empty()) end(Reason::no_error);
  if (ending_) write();
  if (left_) return;
  if (output_.empty() && has_finished()) {
    connection_.start_lingering();
    return;
  }
  Worker& all = worker();
  if (ending_) {
    if (connection_.waits_for != Wait::linger) all.wait(connection_, Wait::linger);
  } else if (is_blocked()) {
    if (connection_.waits_for != Wait::write) connection_.await_session_reader();
    all.count_unread(connection_);
  } else if (!settings_received_) {
    if (connection_.waits_for != Wait::head) all.wait(connection_, Wait::head);
  } else if (!streams_.empty()) {
    if (connection_.waits_for != Wait::none) all.wait(connection_, Wait::none);
  } else if (connection_.waits_for != Wait::request || requested_) {
    all.wait(connection_, Wait::request);
  }
  requested_ = false;
}

bool Http2Session::is_blocked() const {
  if (!output_.empty()) return true;
  return nghttp2_session_get_remote_window_size(session_.get()) <= 0 &&
         std::ranges::any_of(streams_,
                             [](const auto& each) { return each.second->waits_for == Wait::write; });
}

bool Http2Session::is_full() const {
  return output_.size() >= most_output_bytes;
}

bool Http2Session::only_streams_wait() const {
  return std::ranges::none_of(streams_, [](const auto& each) { return each.second->awaits_whole_reply(); });
}

void Http2Session::open_stream(std::int32_t id) {
  Worker& all = worker();
  const std::uint32_t most = all.state().options.max_streams;
  requested_ = true;
  ++turn_requests_;
  numbers_.open(id);
  if (connection_.waits_for == Wait::request) all.wait(connection_, Wait::none);
  // Streams whose handlers still run count although their clients have given them up.
  auto refused = streams_.size() < most ? all.take_place(connection_.address()) : Shed::address;
  if (refused) {
    if (left_) return;
    all.count_shed(*refused);
    charge(refusal_cost);
    reset(id, NGHTTP2_REFUSED_STREAM);
    return;
  }
  auto stream = std::make_shared<Http2Stream>(*this, id, connection_.address());
  if (left_) return;
  nghttp2_session_set_stream_user_data(session_.get(), id, stream.get());
  // Streams take turns, frame by frame, whatever their client thinks of their order.
  const nghttp2_extpri turns_of_equals{.urgency = NGHTTP2_EXTPRI_DEFAULT_URGENCY, .inc = 1};
  nghttp2_session_change_extpri_stream_priority(session_.get(), id, &turns_of_equals, 1);
  touch(*stream);
  streams_.emplace(id, std::move(stream));
}

Http2Stream* Http2Session::stream_of(std::int32_t id) const {
  return static_cast<Http2Stream*>(nghttp2_session_get_stream_user_data(session_.get(), id));
}

void Http2Session::forget(std::int32_t id) {
  const auto found = streams_.find(id);
  if (found == streams_.end()) return;
  if (found->second->is_touched) std::erase(touched_, found->second.get());
  forgotten_.push_back(std::move(found->second));
  streams_.erase(found);
  schedule();
}

void Http2Session::touch(Http2Stream& stream) {
  if (!std::exchange(stream.is_touched, true)) touched_.push_back(&stream);
}

void Http2Session::schedule() {
  if (!left_ && !std::exchange(scheduled_, true)) worker().requeue(connection_);
}

void Http2Session::on_request() {
  const ServerState& state = worker().state();
  // A client that learns of it opens its next stream on another connection.
  if (connection_.is_outdated() || state.retiring.load(std::memory_order_relaxed)) give_notice();
}

void Http2Session::give_notice() {
  const SteadyTime now = worker().loop().now();
  if (!std::exchange(noticed_, true)) {
    final_notice_ = now + notice_time;
    nghttp2_submit_shutdown_notice(session_.get());
  } else if (final_notice_ && now >= *final_notice_) {
    final_notice_.reset();
    nghttp2_submit_goaway(session_.get(), NGHTTP2_FLAG_NONE,
                          nghttp2_session_get_last_proc_stream_id(session_.get()), NGHTTP2_NO_ERROR, nullptr,
                          0);
  }
}

void Http2Session::drain() {
  if (left_) return;
  turn_requests_ = 0;
  turn_bytes_ = most_sent_bytes;
  read();  // a request that has just come is still answered
  if (left_) return;
  noticed_ = true;
  nghttp2_submit_goaway(session_.get(), NGHTTP2_FLAG_NONE,
                        nghttp2_session_get_last_proc_stream_id(session_.get()), NGHTTP2_NO_ERROR, nullptr,
                        0);
  for (const auto& [id, stream] : streams_) stream->ask_to_end();
  advance();
}

void Http2Session::end(Reason reason) {
  if (left_ || std::exchange(ending_, true)) return;
  nghttp2_session_terminate_session(session_.get(), static_cast<std::uint32_t>(reason));
  schedule();
}

void Http2Session::leave(bool farewell) {
  if (std::exchange(left_, true)) return;
  if (farewell && !busy_ && !ending_ && output_.empty()) {
    nghttp2_session_terminate_session(session_.get(), NGHTTP2_NO_ERROR);
    const std::uint8_t* frame = nullptr;
    const ssize_t size = nghttp2_session_mem_send(session_.get(), &frame);
    if (size > 0) {
      output_.append({reinterpret_cast<const char*>(frame), static_cast<std::size_t>(size)});
      turn_bytes_ = most_sent_bytes;
      output_.flush(connection_, turn_bytes_);
    }
  }
  for (const auto& [id, stream] : streams_) stream->abandon();
  // Whoever closed the connection may have been called by one of them.
  for (auto& [id, stream] : streams_) forgotten_.push_back(std::move(stream));
  streams_.clear();
  touched_.clear();
}

}  // namespace fairway::http
