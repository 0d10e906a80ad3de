// SPDX-License-Identifier: Apache-2.0

#include "http/internal/http2/server_stream.h"

#include <nghttp2/nghttp2.h>

#include "base/log.h"
#include "http/internal/http2/server_session.h"
#include "http/internal/server/answer.h"
#include "http/internal/server/worker.h"
#include "http/retry_after.h"

namespace fairway::http {
namespace {

/// A body that no handler takes is read and dropped up to this length, so that the reply is not cut off.
constexpr std::uint64_t most_dropped_body_bytes = 64 << 10;
/// Memory of a stream without its fields, its body and its reply: ours and nghttp2's.
constexpr std::size_t bytes_of_stream = 3072;

}  // namespace

Http2Stream::Http2Stream(Http2Session& session, std::int32_t id, const AddressKey& address)
    : Holder(address),
      session_(&session),
      server_(session.worker().state()),
      id_(id),
      fields_(server_.options.max_header_bytes),
      body_(session.worker().body_room()),
      peer_(session.peer()) {
  body_.charge(address);
  server_.open_streams.fetch_add(1);
}

Http2Stream::~Http2Stream() {
  release_place();
}

void Http2Stream::release_place() {
  if (!std::exchange(has_place_, false)) return;
  server_.open_streams.fetch_sub(1);
  server_.leave_place(address_);
}

void Http2Stream::release_request() {
  request_ = {};
  head_ = {};
  fields_.release();
  body_.release();
}

void Http2Stream::on_head(bool whole) {
  if (state_ != State::head) return;
  state_ = State::body;
  const auto refusal = fields_.read(head_);
  head_only_ = head_.method == "HEAD";
  whole_ = whole;
  if (refusal) {
    session_->worker().count_request();
    return refuse(refusal->status, refusal->why);
  }
  if (whole) return respond();
  const std::uint64_t announced = fields_.announced().value_or(0);
  discards_ = !server_.routes->takes_body(head_.path, head_.method);
  if (discards_) {
    body_refused_ = head_.expects_continue || announced > most_dropped_body_bytes;
    if (body_refused_) return respond();
  }
  if (announced > server_.options.max_body_bytes) {
    session_->worker().count_request();
    return refuse(413,
                  "The body is larger than " + std::to_string(server_.options.max_body_bytes) + " bytes.");
  }
  if (!discards_) body_.expect(announced);
  body_began_ = session_->worker().loop().now();
  if (head_.expects_continue) session_->submit_continue(id_);
}

void Http2Stream::on_body(std::string_view piece) {
  if (state_ != State::body) return;
  body_bytes_ += piece.size();
  recent_bytes_ += piece.size();
  if (discards_) {
    body_refused_ = body_bytes_ > most_dropped_body_bytes;
    if (body_refused_) respond();
    return;
  }
  Worker& worker = session_->worker();
  if (body_bytes_ > server_.options.max_body_bytes) {
    worker.count_request();
    return refuse(413,
                  "The body is larger than " + std::to_string(server_.options.max_body_bytes) + " bytes.");
  }
  worker.parsing(this);
  const bool kept = body_.keep(piece);
  worker.parsing(nullptr);
  if (kept || session_ == nullptr || state_ != State::body) return;
  worker.count_request();
  refuse(503, body_.why(), "Retry-After", "1");
}

void Http2Stream::on_whole() {
  whole_ = true;
  if (state_ == State::body) respond();
}

void Http2Stream::respond() {
  Worker& worker = session_->worker();
  worker.count_request();
  worker.wait(*this, Wait::none);
  session_->on_request();
  request_.method = head_.method;
  request_.target = head_.target;
  request_.path = head_.path;
  request_.query = head_.query;
  request_.fields = head_.fields;
  request_.body = body_.bytes();
  request_.peer = peer_.get();
  request_.deadline = worker.loop().now() + server_.options.request_timeout;
  state_ = State::handling;
  Answer answer = answer_to(server_, request_, address_, worker.loop().now(), body_refused_);
  if (answer.blocking != nullptr) return dispatch(*answer.blocking, request_);
  if (answer.refused) worker.count_refused();
  reply(std::move(answer.response));
}

void Http2Stream::dispatch(const RouteTable::Route& route, Request& request) {
  cancel_ = std::stop_source();
  request.cancelled = cancel_.get_token();
  Flow flow = flow_of(*server_.routes, request);
  request.context = std::move(flow.context);
  running_ = true;
  EventLoop& loop = session_->worker().loop();
  const Pool::Submitted submitted = server_.pool->submit(
      flow, [self = shared_from_this(), handler = &route.handler, &loop](Pool::Turn turn) {
        if (turn == Pool::Turn::refuse) return loop.post([self] { self->on_refused(); });
        // Whoever asks and takes it back again and again has nothing done for it.
        if (!self->cancel_.stop_requested())
          self->result_ = run_handler(*self->server_.routes, *handler, self->request_);
        loop.post([self] { self->on_handled(); });
      });
  if (submitted == Pool::Submitted::taken) return;
  running_ = false;
  if (!server_.options.levels.empty()) return refuse_turn();
  refuse(503, "Too many requests wait to be handled.", "Retry-After", "1");
}

void Http2Stream::refuse_turn() {
  refuse(429, "Too many requests wait to be handled, please try again later.", "Retry-After",
         std::to_string(retry_after_with_jitter().count()));
}

void Http2Stream::on_refused() {
  running_ = false;
  if (session_ == nullptr) return release_place();
  if (closed_) return session_->forget(id_);
  refuse_turn();
  session_->schedule();
}

void Http2Stream::on_handled() {
  running_ = false;
  Response response = std::exchange(result_, {});
  request_.context = nullptr;
  if (session_ == nullptr) return release_place();
  if (closed_) return session_->forget(id_);
  if (state_ == State::handling) {
    reply(std::move(response));
  } else {
    release_place();  // it was given up meanwhile
  }
  session_->schedule();
}

void Http2Stream::refuse(int status, std::string_view why, std::string_view field, std::string value) {
  session_->worker().count_refused();
  reply(make_refusal(*server_.routes, status, why, field, std::move(value)));
}

bool Http2Stream::on_closed() {
  closed_ = true;
  state_ = State::gone;
  if (session_ != nullptr) session_->worker().wait(*this, Wait::none);
  reply_.drop();
  if (running_) cancel_.request_stop();
  return !running_;
}

void Http2Stream::let_go() {
  state_ = State::gone;
  reply_.drop();
  if (running_) {
    cancel_.request_stop();
  } else {
    release_request();
    release_place();
  }
}

void Http2Stream::abandon() {
  session_->worker().wait(*this, Wait::none);
  session_ = nullptr;
  let_go();
}

void Http2Stream::reset(std::uint32_t code) {
  if (session_ == nullptr || state_ == State::gone) return;
  session_->worker().wait(*this, Wait::none);
  let_go();
  session_->reset(id_, code);
}

void Http2Stream::give_up() {
  session_->worker().count_shed(Shed::slow);
  reset(NGHTTP2_CANCEL);
}

void Http2Stream::give_way(bool) {
  // Nothing of a request that is not whole has been handled: its client may send it again.
  reset(state_ == State::head || state_ == State::body ? NGHTTP2_REFUSED_STREAM : NGHTTP2_CANCEL);
}

std::size_t Http2Stream::cost() const {
  // The same for all, as for HTTP/1.1: its head may grow to its limit, and the first bytes of its body count
  // in no budget of bodies.
  return server_.request_bytes;
}

std::size_t Http2Stream::unread_cost() const {
  return reply_.cost() + bytes_of_stream;
}

bool Http2Stream::body_is_fast_enough() {
  const ServerOptions& options = server_.options;
  const double needed = options.min_body_rate * std::chrono::duration<double>(options.rate_window).count();
  const bool fast = needed > 0 && static_cast<double>(std::exchange(recent_bytes_, 0)) >= needed;
  return fast && session_->worker().loop().now() - body_began_ < options.body_timeout;
}

bool Http2Stream::reader_is_fast_enough() {
  const ServerOptions& options = server_.options;
  // Where its own window is open it waits for the connection, whose rate is measured by itself.
  if (session_->window_of(id_) > 0) {
    return reply_.is_stream() || session_->worker().loop().now() - write_began_ < options.write_timeout;
  }
  const double needed = options.min_reply_rate * std::chrono::duration<double>(options.rate_window).count();
  const std::size_t sent = std::exchange(sent_bytes_, 0);
  const bool fast = static_cast<double>(sent) >= needed;
  const SteadyTime now = session_->worker().loop().now();
  if (reply_.is_stream()) {
    // It has no end to come to, and its client may be busy with what it has got.
    if (fast && sent > 0) write_began_ = now;
    return now - write_began_ < options.stream_timeout;
  }
  return needed > 0 && fast && now - write_began_ < options.write_timeout;
}

void Http2Stream::on_deadline() {
  Worker& worker = session_->worker();
  switch (waits_for) {
    case Wait::head:
      // Nothing else can come on this connection before the rest of the head.
      worker.count_shed(Shed::slow);
      return session_->end(Http2Session::Reason::enhance_your_calm);
    case Wait::body:
      if (body_is_fast_enough()) return worker.wait(*this, Wait::body);
      worker.count_shed(Shed::slow);
      worker.count_request();
      refuse(408, "The request's body did not come in time.");
      return session_->schedule();
    case Wait::write:
      if (!reader_is_fast_enough()) return give_up();
      worker.wait(*this, Wait::write);
      // Others may have let go of what it shared with them.
      return worker.count_unread(*this);
    case Wait::request:
    case Wait::linger:
    case Wait::none:
      return;
  }
}

void Http2Stream::settle() {
  Worker& worker = session_->worker();
  if (state_ == State::head || state_ == State::body) {
    if (worker.admit(*this) == Worker::Admission::memory) {
      if (session_ == nullptr || state_ == State::gone) return;
      if (state_ == State::head) return give_way(false);
      worker.count_request();
      return refuse(503, "Too many requests have only begun to come.", "Retry-After", "1");
    }
    if (session_ == nullptr || state_ == State::gone) return;
    const Wait what = state_ == State::head ? Wait::head : Wait::body;
    if (waits_for != what) worker.wait(*this, what);
    return;
  }
  if (state_ != State::replying) return;
  if (reply_.waits()) {
    if (waits_for != Wait::write) {
      write_began_ = worker.loop().now();
      sent_bytes_ = 0;
      worker.wait(*this, Wait::write);
    }
    worker.count_unread(*this);
  } else if (waits_for != Wait::none) {
    worker.wait(*this, Wait::none);
  }
}

void Http2Stream::on_stream() {
  if (session_ == nullptr || state_ != State::replying) return;
  session_->resume(*this);
}

}  // namespace fairway::http
