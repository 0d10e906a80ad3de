// SPDX-License-Identifier: Apache-2.0

#include "http/internal/http2/client_connection.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "http/internal/client/reply_sink.h"
#include "http/internal/http2/client_callbacks.h"
#include "http/internal/http2/header_block.h"

namespace fairway::http {
namespace {

/// Calls at once before the server has said how many it takes.
constexpr std::size_t calls_before_settings = 100;

/// Makes the fields of a request out of its head in HTTP/1.1.
HeaderBlock fields_of(std::string_view head, const Call& call) {
  HeaderBlock block;
  const auto first = head.find("\r\n");
  std::string_view target = head.substr(0, first);
  target.remove_prefix(call.method.size() + 1);
  target = target.substr(0, target.rfind(' '));
  block.add_pseudo(":method", call.method);
  block.add_pseudo(":scheme", "https");
  block.add_pseudo(":path", target);
  std::string_view lines = head.substr(first + 2);
  // The host stands first, unless the caller has given one.
  for (std::string_view rest = lines; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find("\r\n"));
    if (const auto colon = line.find(':');
        colon != std::string_view::npos && equals_ignoring_case(line.substr(0, colon), "Host")) {
      block.add_pseudo(":authority", trim(line.substr(colon + 1)));
      break;
    }
    rest.remove_prefix(std::min(rest.size(), line.size() + 2));
  }
  for (; !lines.empty(); lines.remove_prefix(std::min(lines.size(), lines.find("\r\n") + 2))) {
    const std::string_view line = lines.substr(0, lines.find("\r\n") + 2);
    if (line.size() == 2) break;
    if (!equals_ignoring_case(line.substr(0, line.find(':')), "Host")) block.add_lines(line);
  }
  return block;
}

}  // namespace

Http2Connection::Http2Connection(FileDescriptor fd, FileDescriptor wakeup, std::unique_ptr<TlsSession> tls,
                                 const ClientOptions& options)
    : fd_(std::move(fd)),
      wakeup_(std::move(wakeup)),
      tls_(std::move(tls)),
      silence_(options.ping_after, options.ping_timeout),
      expected_limit_(calls_before_settings) {}

std::shared_ptr<Http2Connection> Http2Connection::start(FileDescriptor fd, std::unique_ptr<TlsSession> tls,
                                                        const ClientOptions& options) {
  FileDescriptor wakeup(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wakeup) return nullptr;
  std::shared_ptr<Http2Connection> made(
      new Http2Connection(std::move(fd), std::move(wakeup), std::move(tls), options));
  made->session_.reset(make_client_session(*made));
  if (!made->session_) return nullptr;
  made->idle_since_ = std::chrono::steady_clock::now();
  try {
    made->thread_ = std::jthread([raw = made.get()] { raw->run(); });
  } catch (const std::system_error&) {
    return nullptr;
  }
  return made;
}

Http2Connection::~Http2Connection() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  wake();
  if (thread_.joinable()) thread_.join();
  tls_->shutdown();
}

bool Http2Connection::reserve() {
  const std::scoped_lock lock(mutex_);
  if (closing_ || silence_.is_doubted()) return false;
  if (calls_ >= limit()) return false;
  ++calls_;
  return true;
}

std::size_t Http2Connection::limit() const {
  if (!settled_) return expected_limit_;
  return nghttp2_session_get_remote_settings(session_.get(), NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
}

std::optional<std::size_t> Http2Connection::known_limit() {
  const std::scoped_lock lock(mutex_);
  return settled_ ? std::optional(limit()) : std::nullopt;
}

void Http2Connection::expect_limit(std::size_t most) {
  const std::scoped_lock lock(mutex_);
  expected_limit_ = most;
}

bool Http2Connection::is_kept(std::chrono::steady_clock::duration most_idle) {
  const std::scoped_lock lock(mutex_);
  return !closing_ && (calls_ > 0 || std::chrono::steady_clock::now() - idle_since_ <= most_idle);
}

void Http2Connection::wake() const {
  const std::uint64_t one = 1;
  // A counter that is full has woken the thread already.
  [[maybe_unused]] const auto written = ::write(wakeup_.get(), &one, sizeof one);
}

Http2Exchange* Http2Connection::exchange_of(std::int32_t stream) {
  const auto found = exchanges_.find(stream);
  return found == exchanges_.end() ? nullptr : found->second.get();
}

void Http2Connection::give_up_unsent() {
  const std::size_t most = limit();
  std::size_t open = 0;
  for (const auto& [id, exchange] : exchanges_) open += exchange->sent ? 1 : 0;
  for (const auto& [id, exchange] : exchanges_) {
    if (exchange->sent || exchange->abandoned || open++ < most) continue;
    exchange->failed = exchange->unseen = true;
    exchange->error = {ErrorCode::unavailable, "the server takes no more calls at once on this connection"};
    exchange->changed.notify_all();
  }
}

Result<void> Http2Connection::submit(const std::shared_ptr<Http2Exchange>& exchange, std::string_view head,
                                     const Call& call) {
  const std::string doing = "sending the request";
  if (closing_) return fail(ErrorCode::unavailable, doing + ": the server has closed the connection");
  // Room was reserved before the server has said how many it takes.
  if (settled_ && exchanges_.size() >= limit())
    return fail(ErrorCode::unavailable, doing + ": the server takes no more calls at once");
  const HeaderBlock block = fields_of(head, call);
  const auto fields = block.fields();
  const nghttp2_data_provider body = body_of(*exchange);
  const std::int32_t id = nghttp2_submit_request(session_.get(), nullptr, fields.data(), fields.size(),
                                                 call.body.empty() ? nullptr : &body, nullptr);
  if (id < 0) {
    closing_ = true;  // it has no numbers left for streams
    return fail(ErrorCode::unavailable, doing + ": " + nghttp2_strerror(id));
  }
  exchange->stream = id;
  if (exchanges_.empty()) silence_.expect(std::chrono::steady_clock::now());
  exchanges_.emplace(id, exchange);
  return {};
}

void Http2Connection::abandon(Http2Exchange& exchange) {
  exchange.abandoned = true;
  exchange.body = {};
  exchange.pieces.clear();
  if (!exchanges_.contains(exchange.stream)) return;
  nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, exchange.stream, NGHTTP2_CANCEL);
}

Result<Reply> Http2Connection::exchange(std::string_view head, const Call& call, const SocketWait& sockets,
                                        bool& nothing_read, bool& unseen) {
  const auto exchange = std::make_shared<Http2Exchange>();
  exchange->body = call.body;
  const SteadyTime sent = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  Result<Reply> reply = fail(ErrorCode::unavailable, "");
  if (auto submitted = submit(exchange, head, call); submitted) {
    wake();
    reply = receive(*exchange, call, sockets, lock);
    nothing_read = !exchange->has_head;
    unseen = exchange->unseen;
  } else {
    reply = fail(submitted.error());
    nothing_read = unseen = true;
  }
  abandon(*exchange);
  --calls_;
  const SteadyTime now = idle_since_ = std::chrono::steady_clock::now();
  if (!reply && reply.error().code == ErrorCode::deadline_exceeded && silence_.doubt(sent, now))
    nghttp2_submit_ping(session_.get(), NGHTTP2_FLAG_NONE, nullptr);
  lock.unlock();
  wake();
  if (!reply) return reply;
  if (auto decompressed = decompress(call, *reply); !decompressed) return fail(decompressed.error());
  return reply;
}

Result<Reply> Http2Connection::receive(Http2Exchange& exchange, const Call& call, const SocketWait& sockets,
                                       std::unique_lock<std::mutex>& lock) {
  const Limits& limits = sockets.limits();
  const auto wait = [&](auto has_come) -> Result<void> {
    if (exchange.changed.wait_until(lock, limits.stop, limits.deadline, has_come)) return {};
    const std::string doing = "waiting for the reply: ";
    if (limits.stop.stop_requested()) return fail(ErrorCode::cancelled, doing + "the call was cancelled");
    return fail(ErrorCode::deadline_exceeded, doing + "the deadline has passed");
  };
  if (auto come = wait([&] { return exchange.has_head || exchange.failed; }); !come)
    return fail(come.error());
  if (!exchange.has_head) return fail(exchange.error);
  Reply reply;
  reply.status = exchange.status;
  reply.headers = std::move(exchange.headers);
  std::size_t received = 0;
  const auto sink = make_sink(call, reply, received);
  while (true) {
    if (auto come = wait([&] { return !exchange.pieces.empty() || exchange.ended || exchange.failed; });
        !come)
      return fail(come.error());
    if (exchange.pieces.empty()) break;
    const std::string piece = std::move(exchange.pieces.front());
    exchange.pieces.pop_front();
    nghttp2_session_consume_stream(session_.get(), exchange.stream, piece.size());
    const bool has_news = nghttp2_session_want_write(session_.get()) != 0;
    lock.unlock();
    if (has_news) wake();
    auto taken = sink(piece);
    lock.lock();
    if (!taken) return fail(taken.error());
  }
  if (!exchange.ended) return fail(exchange.error);
  return reply;
}

}  // namespace fairway::http
