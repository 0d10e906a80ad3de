// SPDX-License-Identifier: Apache-2.0

// How a connection answers: from a whole request to the last byte of the reply.
#include <sys/sendfile.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>

#include "base/log.h"
#include "base/text.h"
#include "http/internal/server/answer.h"
#include "http/internal/server/connection.h"
#include "http/internal/server/worker.h"
#include "http/internal/wire.h"
#include "http/retry_after.h"

namespace fairway::http {
namespace {

/// Pieces handed to one system call.
constexpr std::size_t most_pieces = 64;
/// The status with which a stream goes on as a WebSocket.
constexpr int switching_protocols = 101;

}  // namespace

Connection::Step Connection::respond() {
  Intake& in = *intake_;
  const RequestHead& head = in.parser.head();
  ServerState& state = worker_.state();
  worker_.count_request();
  // A shared key may change: each request proves that its sender has the one of now.
  const bool has_shared_key = state.options.tls && state.options.tls->shared_key;
  close_after_ = !head.keep_alive || is_outdated() || has_shared_key || in.body_refused;
  http10_ = head.minor_version == 0;
  head_only_ = head.method == "HEAD";
  Request& request = in.request;
  request.context = nullptr;
  request.method = head.method;
  request.target = head.target;
  request.path = head.path;
  request.query = head.query;
  request.fields = head.fields;
  request.body = in.parser.body();
  request.peer = &peer_;
  request.deadline = worker_.loop().now() + state.options.request_timeout;

  Answer answer = answer_to(state, request, address_, worker_.loop().now(), in.body_refused);
  if (answer.blocking != nullptr) return dispatch(*answer.blocking);
  if (answer.refused) worker_.count_refused();
  return reply(std::move(answer.response));
}

bool Connection::is_outdated() const {
  // A connection whose certificate is not served any more would outlive it: the client makes a new one.
  return tls_ && tls_generation_ != worker_.state().tls_generation.load(std::memory_order_relaxed);
}

Connection::Step Connection::dispatch(const RouteTable::Route& route) {
  cancel_ = std::stop_source();
  if (peer_closed_) cancel_.request_stop();
  intake_->request.cancelled = cancel_.get_token();
  phase_ = Phase::handling;
  worker_.wait(*this, Wait::none);
  Flow flow = flow_of(*worker_.state().routes, intake_->request);
  intake_->request.context = std::move(flow.context);
  const Pool::Submitted submitted =
      worker_.state().pool->submit(flow, [this, handler = &route.handler](Pool::Turn turn) {
        if (turn == Pool::Turn::refuse) return worker_.loop().post([this] { on_refused(); });
        result_ = run_handler(*worker_.state().routes, *handler, intake_->request);
        worker_.loop().post([this] { on_handled(); });
      });
  if (submitted == Pool::Submitted::taken) return Step::parked;
  forget_turn();
  if (!worker_.state().options.levels.empty()) return refuse_turn();
  return refuse(503, "Too many requests wait to be handled.", false, "Retry-After", "1");
}

Connection::Step Connection::refuse_turn() {
  return refuse(429, "Too many requests wait to be handled, please try again later.", false, "Retry-After",
                std::to_string(retry_after_with_jitter().count()));
}

void Connection::forget_turn() {
  cancel_ = std::stop_source(std::nostopstate);
  intake_->request.cancelled = {};
  intake_->request.context = nullptr;
  phase_ = Phase::receiving;
}

void Connection::on_refused() {
  forget_turn();
  if (closes_when_handled_) return close();
  if (refuse_turn() == Step::replied) serve();
}

void Connection::on_handled() {
  Response response = std::exchange(result_, {});
  forget_turn();
  if (closes_when_handled_) return close();
  if (reply(std::move(response)) == Step::replied) serve();
}

Connection::Step Connection::refuse(int status, std::string_view why, bool close, std::string_view field,
                                    std::string value) {
  worker_.count_refused();
  Response response = make_refusal(*worker_.state().routes, status, why, field, std::move(value));
  if (close) {
    // The request was not understood to its end: what follows it on this connection cannot be, either.
    close_after_ = true;
    head_only_ = intake_ && intake_->parser.head().method == "HEAD";
    http10_ = false;
  }
  return reply(std::move(response));
}

void Connection::build_head(std::string& out, const Response& response, bool chunked,
                            std::size_t body_size) const {
  out.clear();
  if (response.prepared) {
    out += response.prepared->head();
  } else {
    append_status_line(out, response.status);
    if (chunked) {
      out += "Transfer-Encoding: chunked\r\n";
    } else if (may_have_body(response.status) && !response.stream) {
      append_field(out, "Content-Length", std::to_string(body_size));
    }
  }
  for (const auto& [name, value] : response.headers) {
    if (!is_ours(name)) append_field(out, name, value);
  }
  out += worker_.common_fields();
  if (response.status == switching_protocols) {
    out += "Connection: Upgrade\r\n";
  } else if (close_after_) {
    out += "Connection: close\r\n";
  } else if (http10_) {
    out += "Connection: keep-alive\r\n";
  }
  out += "\r\n";
}

Connection::Step Connection::reply(Response response) {
  if (worker_.state().retiring.load(std::memory_order_relaxed)) close_after_ = true;
  const bool is_socket = response.status == switching_protocols && response.stream;
  if (!response.prepared && !is_socket && (response.status < 200 || response.status > 599)) {
    log::error("a handler returned an invalid status", {{"status", response.status}});
    response = Response::text(500, "Internal server error.\n");
  }
  if (response.stream) return reply_with_stream(response);
  const int status = response.prepared ? response.prepared->status() : response.status;
  Bytes body = response.prepared ? response.prepared->body() : Bytes(std::move(response.body));
  std::string& head = worker_.scratch();
  build_head(head, response, false, body ? body->size() : 0);
  if (head_only_ || !may_have_body(status)) body.reset();
  // Without TLS the kernel sends a large body from its own pages; nothing is copied for each client.
  std::shared_ptr<const MemoryFile> file;
  if (body && response.prepared && !tls_) file = response.prepared->file();
  response.prepared.reset();  // what nobody else holds is counted for its reader
  if (file) return reply_with_file(head, std::move(body), std::move(file));

  std::array<iovec, 2> pieces{iovec{head.data(), head.size()}, iovec{nullptr, 0}};
  std::size_t count = 1;
  std::size_t total = head.size();
  if (body && !body->empty()) {
    pieces[1] = {const_cast<char*>(body->data()), body->size()};
    total += body->size();
    count = 2;
  }
  std::size_t written = 0;
  if (transmit({pieces.data(), count}, written) == Io::failed) {
    close();
    return Step::parked;
  }
  if (written == total) return finish_reply();
  write_began_ = worker_.loop().now();
  unsent_.clear();
  sent_segments_ = 0;
  if (written < head.size()) {
    queue(head.substr(written));
    written = 0;
  } else {
    written -= head.size();
  }
  if (count == 2) {
    queue({}, std::move(body));
    unsent_.back().sent = written;
  }
  return await_reader();
}

Connection::Step Connection::await_reader() {
  phase_ = Phase::writing;
  // There may be many clients that do not read: each holds the rest of its reply, and nothing of its request.
  forget_request();
  if (intake_ && intake_->begin == intake_->end) release_intake();
  worker_.wait(*this, Wait::write);
  worker_.count_unread(*this);
  return Step::parked;
}

Connection::Step Connection::reply_with_file(std::string head, Bytes body,
                                             std::shared_ptr<const MemoryFile> file) {
  unsent_.clear();
  sent_segments_ = 0;
  queue(std::move(head));
  queue({}, std::move(body));
  unsent_.back().file = std::move(file);
  return send_queued();
}

Connection::Step Connection::send_queued() {
  phase_ = Phase::writing;
  write_began_ = worker_.loop().now();
  switch (flush()) {
    case Io::done:
      return finish_reply();
    case Io::blocked:
      return await_reader();
    case Io::closed:
    case Io::failed:
      break;  // flush has closed the connection
  }
  return Step::parked;
}

void Connection::queue(std::string text, Bytes bytes) {
  unsent_.push_back({std::move(text), std::move(bytes), nullptr});
}

Connection::Io Connection::flush() {
  while (sent_segments_ < unsent_.size()) {
    std::array<iovec, most_pieces> pieces;
    std::size_t count = 0;
    std::size_t total = 0;
    bool file_follows = false;
    for (std::size_t i = sent_segments_; i < unsent_.size() && count < most_pieces; ++i) {
      file_follows = unsent_[i].file != nullptr;
      if (file_follows && count > 0) break;
      const std::string_view rest = unsent_[i].rest();
      pieces[count++] = {const_cast<char*>(rest.data()), rest.size()};
      total += rest.size();
      if (file_follows) break;
    }
    std::size_t written = 0;
    const Segment& first = unsent_[sent_segments_];
    const Io outcome =
        first.file ? send_file(first, written) : transmit({pieces.data(), count}, written, file_follows);
    if (outcome == Io::failed) {
      close();
      return Io::failed;
    }
    const bool all = written == total;
    for (; count > 0 && written >= unsent_[sent_segments_].rest().size(); --count) {
      written -= unsent_[sent_segments_].rest().size();
      unsent_[sent_segments_].bytes.reset();
      ++sent_segments_;
    }
    if (!all) {
      // A short write means that the socket is full: epoll tells when it takes more.
      unsent_[sent_segments_].sent += written;
      return Io::blocked;
    }
  }
  unsent_.clear();
  sent_segments_ = 0;
  return Io::done;
}

Connection::Io Connection::send_file(const Segment& segment, std::size_t& written) {
  written = 0;
  auto offset = static_cast<off_t>(segment.sent);
  ssize_t result = 0;
  do {
    result = ::sendfile(fd_, segment.file->descriptor(), &offset, segment.rest().size());
  } while (result < 0 && errno == EINTR);
  if (result < 0) return errno == EAGAIN || errno == EWOULDBLOCK ? Io::blocked : Io::failed;
  if (result == 0) return Io::failed;  // a sealed file has no end before its size
  written = static_cast<std::size_t>(result);
  sent_bytes_ += written;
  return Io::done;
}

Connection::Step Connection::finish_reply() {
  if (close_after_) return start_lingering();
  phase_ = Phase::receiving;
  forget_request();
  worker_.wait(*this, Wait::request);
  return Step::replied;
}

void Connection::forget_request() {
  if (!intake_) return;
  intake_->started = intake_->head_done = intake_->body_refused = false;
  intake_->floor = 0;
  intake_->parser.reset();
}

Connection::Step Connection::reply_with_stream(Response& response) {
  const auto* handle = dynamic_cast<const StreamHandle*>(response.stream.get());
  if (handle == nullptr) {
    log::error("a handler answered with a stream that is not of Stream::make");
    return reply(Response::text(500, "Internal server error.\n"));
  }
  response.prepared.reset();
  if (response.status == switching_protocols) socket_ = std::make_unique<Socket>();
  chunked_ = !http10_ && !socket_;
  if (!chunked_) close_after_ = true;
  std::string head;
  build_head(head, response, chunked_, 0);
  std::shared_ptr<StreamQueue> stream = handle->queue();
  response.stream.reset();  // a producer that has let go without closing is noticed now
  unsent_.clear();
  sent_segments_ = 0;
  queue(std::move(head));
  if (!socket_ && (head_only_ || !may_have_body(response.status))) {
    stream->detach();
    return send_queued();
  }
  stream_ = std::move(stream);
  stream_->attach(worker_.loop(), *this);
  stream_ended_ = false;
  batch_bytes_ = 0;
  phase_ = Phase::streaming;
  write_began_ = worker_.loop().now();
  worker_.wait(*this, Wait::write);
  if (worker_.state().draining.load(std::memory_order_relaxed)) stream_->ask_to_end();
  // Data behind the request may wait as long as the stream lasts; the request itself is dropped.
  forget_request();
  if (socket_) begin_socket();
  if (intake_->begin == intake_->end) release_intake();
  return pump();
}

void Connection::on_stream() {
  if (phase_ == Phase::streaming && pump() == Step::replied) serve();
}

Connection::Step Connection::pump() {
  while (true) {
    const Io flushed = flush();
    if (flushed == Io::blocked) worker_.count_unread(*this);
    if (flushed != Io::done) return Step::parked;
    if (batch_bytes_ > 0) stream_->sent(std::exchange(batch_bytes_, 0));
    if (stream_ended_) break;
    std::vector<Bytes> pieces;
    const StreamQueue::End end = stream_->take(pieces);
    if (pieces.empty() && end == StreamQueue::End::open) {
      worker_.wait(*this, Wait::none);
      return Step::parked;
    }
    if (pieces.empty() && end == StreamQueue::End::broken) {
      close();
      return Step::parked;
    }
    std::string framing;
    for (Bytes& piece : pieces) {
      batch_bytes_ += piece->size();
      if (socket_) {
        queue(socket_->messages.frames(*piece));
        continue;
      }
      if (chunked_) {
        std::array<char, 16> digits;
        const auto [last, error] =
            std::to_chars(digits.data(), digits.data() + digits.size(), piece->size(), 16);
        framing.append(digits.data(), last);
        framing += "\r\n";
        queue(std::exchange(framing, "\r\n"));
      }
      queue({}, std::move(piece));
    }
    if (pieces.empty()) {
      stream_ended_ = true;
      if (chunked_) framing += "0\r\n\r\n";
      if (socket_) framing += close_frame();
    }
    if (!framing.empty()) queue(std::move(framing));
    if (waits_for != Wait::write) {
      write_began_ = worker_.loop().now();
      worker_.wait(*this, Wait::write);
    }
  }
  stream_->detach();
  stream_.reset();
  socket_.reset();
  return finish_reply();
}

}  // namespace fairway::http
