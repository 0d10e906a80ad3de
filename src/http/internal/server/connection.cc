// SPDX-License-Identifier: Apache-2.0

#include "http/internal/server/connection.h"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <exception>

#include "base/log.h"
#include "http/internal/server/worker.h"

namespace fairway::http {
namespace {

/// Requests answered in a row before other connections have their turn.
constexpr int turns = 32;
/// Bytes that are read and dropped after the last reply, so that the client gets to read it.
constexpr std::size_t most_lingering_bytes = 4 << 20;
/// A body that no handler takes is read and dropped up to this length, so that the connection can be kept.
constexpr std::uint64_t most_dropped_body_bytes = 64 << 10;

}  // namespace

Intake::Intake(const RequestParser::Limits& limits)
    : capacity(capacity_for(limits)),
      buffer(std::make_unique_for_overwrite<char[]>(capacity)),
      parser(limits) {}

void Intake::clear() {
  begin = end = floor = 0;
  started = head_done = body_refused = false;
  parser.reset();
}

std::size_t Intake::make_room() {
  if (!started) {
    // A new head must fit behind `begin`, and does not move while it is read.
    if (begin == end) {
      begin = end = 0;
    } else if (begin > capacity / 2) {
      std::memmove(buffer.get(), buffer.get() + begin, end - begin);
      end -= begin;
      begin = 0;
    }
  } else if (head_done && begin == end) {
    begin = end = floor;
  } else if (head_done && end == capacity) {
    std::memmove(buffer.get() + floor, buffer.get() + begin, end - begin);
    end -= begin - floor;
    begin = floor;
  }
  return capacity - end;
}

Connection::Connection(Worker& worker, int fd, Peer peer, const AddressKey& address,
                       std::unique_ptr<TlsSession> tls, std::uint32_t tls_generation)
    : Holder(address),
      worker_(worker),
      fd_(fd),
      tls_(std::move(tls)),
      tls_generation_(tls_generation),
      peer_(std::move(peer)) {
  if (tls_) phase_ = Phase::handshake;
}

Connection::~Connection() {
  if (stream_) stream_->detach();
  if (fd_ >= 0) ::close(fd_);
}

void Connection::on_ready(std::uint32_t events) {
  if ((events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) {
    peer_closed_ = true;
    readable_ = true;
  }
  if ((events & EPOLLIN) != 0) {
    readable_ = true;
    // Data that the client sends while its reply waits is held by the kernel.
    if (unread > 0) worker_.count_unread(*this);
  }
  advance();
}

void Connection::go_on() {
  advance();
}

void Connection::advance() {
  switch (phase_) {
    case Phase::handshake:
      return handshake();
    case Phase::receiving:
      return serve();
    case Phase::handling:
      // It may still read the reply: clients may close their half early. The handler decides.
      if (peer_closed_) cancel_.request_stop();
      return;
    case Phase::writing:
      switch (flush()) {
        case Io::done:
          if (finish_reply() == Step::replied) serve();
          return;
        case Io::blocked:
          // The kernel takes more of a reply once its reader has begun to read.
          return worker_.count_unread(*this);
        case Io::closed:
        case Io::failed:
          return;
      }
      return;
    case Phase::streaming:
      if (socket_ && !read_socket()) return;
      if (peer_closed_) return close();
      if (pump() == Step::replied) serve();
      return;
    case Phase::session:
      return session_->advance();
    case Phase::lingering:
      return linger();
    case Phase::dead:
      return;
  }
}

bool Connection::speaks_http2() {
  constexpr std::string_view preface = "PRI * HTTP/2.0";
  if (!first_bytes_) return false;
  if (tls_) {
    first_bytes_ = false;
    return tls_->chose_http2();
  }
  if (worker_.state().options.http2 != Http2::prior_knowledge) return first_bytes_ = false;
  std::array<char, preface.size()> bytes;
  const auto got = ::recv(fd_, bytes.data(), bytes.size(), MSG_PEEK | MSG_DONTWAIT);
  if (got <= 0) return false;
  const std::string_view begin(bytes.data(), static_cast<std::size_t>(got));
  first_bytes_ = !peer_closed_ && begin.size() < preface.size() && preface.starts_with(begin);
  if (first_bytes_) readable_ = false;  // too few to tell
  return begin == preface;
}

void Connection::begin_session() {
  phase_ = Phase::session;
  session_ = worker_.state().make_session(*this);
  if (worker_.admit(*this) == Worker::Admission::memory) return close();
  worker_.wait(*this, Wait::head);
  session_->advance();
  if (session_ && phase_ == Phase::session && worker_.state().draining.load(std::memory_order_relaxed))
    session_->drain();
}

void Connection::await_session_reader() {
  write_began_ = worker_.loop().now();
  worker_.wait(*this, Wait::write);
}

void Connection::handshake() {
  switch (tls_->handshake()) {
    case TlsSession::Outcome::done:
      tls_->describe_peer(peer_);
      phase_ = Phase::receiving;
      readable_ = true;
      worker_.wait(*this, Wait::request);
      return serve();
    case TlsSession::Outcome::want_read:
    case TlsSession::Outcome::want_write:
      if (peer_closed_) close();
      return;
    case TlsSession::Outcome::closed:
    case TlsSession::Outcome::failed:
      break;
  }
  if (tls_->met_plain_http()) {
    constexpr std::string_view answer =
        "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 34\r\n\r\nThis port speaks HTTPS, "
        "not HTTP.\n";
    [[maybe_unused]] const auto sent = ::send(fd_, answer.data(), answer.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    worker_.count_refused();
    tls_.reset();
    start_lingering();
    return;
  }
  log::debug("TLS handshake failed", {{"remote", peer_.address}, {"why", tls_->error()}});
  close();
}

Connection::Io Connection::receive(char* out, std::size_t room, std::size_t& got) {
  if (tls_) {
    switch (tls_->read(out, room, got)) {
      case TlsSession::Outcome::done:
        return Io::done;
      case TlsSession::Outcome::want_read:
      case TlsSession::Outcome::want_write:
        readable_ = false;
        return Io::blocked;
      case TlsSession::Outcome::closed:
        return Io::closed;
      case TlsSession::Outcome::failed:
        return Io::failed;
    }
  }
  ssize_t result = 0;
  do {
    result = ::recv(fd_, out, room, MSG_DONTWAIT);
  } while (result < 0 && errno == EINTR);
  if (result == 0) return Io::closed;
  if (result < 0) {
    if (errno != EAGAIN && errno != EWOULDBLOCK) return Io::failed;
    readable_ = false;
    return Io::blocked;
  }
  got = static_cast<std::size_t>(result);
  // Less than was asked for: the socket is empty, and epoll tells when there is more (epoll(7),
  // edge-triggered). Only the end of the stream may hide behind it, and that was announced.
  if (got < room && !peer_closed_) readable_ = false;
  return Io::done;
}

Connection::Io Connection::transmit(std::span<const iovec> pieces, std::size_t& written, bool more_follows) {
  written = 0;
  if (tls_) {
    switch (tls_->write(pieces, written)) {
      case TlsSession::Outcome::done:
        sent_bytes_ += written;
        return Io::done;
      case TlsSession::Outcome::want_read:
      case TlsSession::Outcome::want_write:
        sent_bytes_ += written;
        return Io::blocked;
      case TlsSession::Outcome::closed:
      case TlsSession::Outcome::failed:
        return Io::failed;
    }
  }
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(pieces.data());
  message.msg_iovlen = pieces.size();
  ssize_t result = 0;
  do {
    result = ::sendmsg(fd_, &message, MSG_NOSIGNAL | MSG_DONTWAIT | (more_follows ? MSG_MORE : 0));
  } while (result < 0 && errno == EINTR);
  if (result < 0) return errno == EAGAIN || errno == EWOULDBLOCK ? Io::blocked : Io::failed;
  written = static_cast<std::size_t>(result);
  sent_bytes_ += written;
  return Io::done;
}

void Connection::serve() {
  if (first_bytes_ && speaks_http2()) return begin_session();
  for (int served = 0;;) {
    if (intake_ && intake_->begin < intake_->end) {
      const Step step = parse();
      if (step == Step::parked) return;
      if (step == Step::replied) {
        if (++served < turns) continue;
        return worker_.requeue(*this);
      }
    }
    if (!readable_) break;
    if (!intake_) {
      intake_ = worker_.take_intake();
      intake_->parser.charge(address_);
    }
    const std::size_t room = intake_->make_room();
    if (room == 0) {
      // Heads that are too long were refused by the parser: this is a line of a chunked body that does not
      // end.
      refuse(400, "The body's chunks are not well formed.", true);
      return;
    }
    std::size_t got = 0;
    const Io outcome = receive(intake_->buffer.get() + intake_->end, room, got);
    if (outcome == Io::closed || outcome == Io::failed) return close();
    if (outcome == Io::blocked) break;
    intake_->end += got;
  }
  if (!intake_ || !intake_->started) {
    release_intake();
    if (worker_.state().draining.load(std::memory_order_relaxed)) close();
  } else if (!intake_->head_done) {
    if (waits_for != Wait::head) await_rest(Wait::head);
  } else {
    if (waits_for != Wait::body) {
      body_began_ = worker_.loop().now();
      body_bytes_ = 0;
    }
    await_rest(Wait::body);
  }
}

void Connection::await_rest(Wait what) {
  switch (worker_.admit(*this)) {
    case Worker::Admission::admitted:
      if (waits_for != what) worker_.wait(*this, what);
      return;
    case Worker::Admission::memory:
      worker_.count_request();
      refuse(503, "Too many requests have only begun to come.", true, "Retry-After", "1");
      return;
  }
}

std::size_t Connection::held() const {
  return intake_ ? intake_->parser.body().size() : 0;
}

Stage Connection::stage() const {
  if (phase_ == Phase::handshake) return Stage::handshake;
  if (session_) return Stage::head;
  return intake_ && intake_->head_done ? Stage::body : Stage::head;
}

std::size_t Connection::cost() const {
  if (session_) return session_->cost();
  return phase_ == Phase::handshake ? TlsSession::handshake_bytes : worker_.state().request_bytes;
}

std::size_t Connection::unacknowledged() const {
  int waiting = 0;
  if (::ioctl(fd_, SIOCOUTQ, &waiting) != 0) waiting = 0;
  return static_cast<std::size_t>(std::max(waiting, 0));
}

std::size_t Connection::unread_cost() const {
  int ahead = 0;
  if (::ioctl(fd_, SIOCINQ, &ahead) != 0) ahead = 0;
  std::size_t own = stream_ ? stream_->share() : 0;
  if (session_) own += session_->unread();
  for (std::size_t i = sent_segments_; i < unsent_.size(); ++i) {
    const Segment& each = unsent_[i];
    own += each.text.size();
    // A whole reply that others hold, too, is the server's own, most likely, and there in any case.
    if (each.bytes && stream_) own += share_of(each.bytes);
    if (each.bytes.use_count() == 1 && !stream_) own += each.bytes->size();
    if (each.file.use_count() == 1) own += each.bytes->size();
  }
  return unacknowledged() + static_cast<std::size_t>(std::max(ahead, 0)) + own +
         (intake_ ? worker_.state().request_bytes : 0) + 1;
}

bool Connection::is_stuck() const {
  // The kernel asks a client without room again and again, each time after twice as long, and begins anew
  // where there is room: by the second time it was without for half a second.
  constexpr int times_asked = 2;
  tcp_info info{};
  socklen_t size = sizeof info;
  return unacknowledged() > 0 && ::getsockopt(fd_, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 &&
         info.tcpi_backoff >= times_asked;
}

bool Connection::body_is_fast_enough() {
  const ServerOptions& options = worker_.state().options;
  const double needed = options.min_body_rate * std::chrono::duration<double>(options.rate_window).count();
  const bool fast = needed > 0 && static_cast<double>(std::exchange(body_bytes_, 0)) >= needed;
  return fast && worker_.loop().now() - body_began_ < options.body_timeout;
}

bool Connection::reader_is_fast_enough() {
  const ServerOptions& options = worker_.state().options;
  // Bytes that the kernel still holds have not been read: its buffer may be filled at once and emptied
  // slowly.
  const std::uint64_t held = unacknowledged();
  const std::uint64_t delivered = sent_bytes_ > held ? sent_bytes_ - held : 0;
  const std::uint64_t before = std::exchange(delivered_bytes_, std::max(delivered, delivered_bytes_));
  const double needed = options.min_reply_rate * std::chrono::duration<double>(options.rate_window).count();
  // A session may be kept busy with what is no reply.
  const std::uint64_t more = session_ ? session_->take_progress() : delivered_bytes_ - before;
  const bool fast = static_cast<double>(more) >= needed;
  const SteadyTime now = worker_.loop().now();
  if (phase_ == Phase::streaming || session_) {
    // It has no end to come to, and its client may be busy with what it has got.
    if (fast && more > 0) write_began_ = now;
    if (session_ && !session_->only_streams_wait()) return needed > 0 && fast;
    return now - write_began_ < options.stream_timeout;
  }
  return needed > 0 && fast && now - write_began_ < options.write_timeout;
}

Connection::Step Connection::parse() {
  Intake& in = *intake_;
  if (!in.started) {
    // RFC 9112, section 2.2: empty lines before a request are passed over.
    while (in.begin < in.end && (in.buffer[in.begin] == '\r' || in.buffer[in.begin] == '\n')) ++in.begin;
    if (in.begin == in.end) return Step::needs_bytes;
    in.make_room();
    in.started = true;
  }
  while (true) {
    std::size_t consumed = 0;
    worker_.parsing(this);
    const auto progress = in.parser.feed({in.buffer.get() + in.begin, in.end - in.begin}, consumed);
    worker_.parsing(nullptr);
    in.begin += consumed;
    if (in.head_done) body_bytes_ += consumed;
    switch (progress) {
      case RequestParser::Progress::more:
        return Step::needs_bytes;
      case RequestParser::Progress::failed:
        worker_.count_request();
        if (in.parser.status() == 503) return refuse(503, in.parser.why(), true, "Retry-After", "1");
        return refuse(in.parser.status(), in.parser.why(), true);
      case RequestParser::Progress::complete:
        return respond();
      case RequestParser::Progress::head:
        break;
    }
    in.floor = in.begin;
    in.head_done = true;
    const RequestHead& head = in.parser.head();
    if (!worker_.state().routes->takes_body(head.path, head.method)) {
      // A body that no handler will see is not kept, and not awaited if it is long or waits for 100 Continue.
      in.body_refused = head.expects_continue || in.parser.announced() > most_dropped_body_bytes;
      if (in.body_refused) return respond();
      in.parser.discard_body();
    }
    if (head.expects_continue && in.begin == in.end) {
      constexpr std::string_view go = "HTTP/1.1 100 Continue\r\n\r\n";
      const iovec piece{const_cast<char*>(go.data()), go.size()};
      std::size_t written = 0;
      if (transmit({&piece, 1}, written) != Io::done || written != go.size()) {
        close();
        return Step::parked;
      }
    }
    if (in.begin == in.end) return Step::needs_bytes;
  }
}

void Connection::release_intake() {
  if (!intake_) return;
  worker_.give_back(std::move(intake_));
  intake_.reset();
}

Connection::Step Connection::start_lingering() {
  release_intake();
  if (session_) session_->leave(false);
  if (tls_) tls_->shutdown();
  ::shutdown(fd_, SHUT_WR);
  phase_ = Phase::lingering;
  lingered_ = 0;
  readable_ = true;
  worker_.wait(*this, Wait::linger);
  linger();
  return Step::parked;
}

void Connection::linger() {
  // Closing with unread bytes would reset the connection and might take the reply away from the client.
  std::array<char, 16 * 1024> bytes;
  while (true) {
    const auto got = ::recv(fd_, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      // A server that stops does not wait for clients that have their reply.
      if (worker_.state().draining.load(std::memory_order_relaxed)) close();
      return;
    }
    if (got <= 0) return close();
    lingered_ += static_cast<std::size_t>(got);
    if (lingered_ > most_lingering_bytes) return close();
  }
}

void Connection::on_deadline() {
  switch (waits_for) {
    case Wait::head:
      worker_.count_shed(Shed::slow);
      if (session_) return session_->retire();
      if (phase_ == Phase::handshake) return close();
      worker_.count_request();
      refuse(408, "The request's head did not come in time.", true);
      return;
    case Wait::body:
      if (body_is_fast_enough()) return worker_.wait(*this, Wait::body);
      worker_.count_shed(Shed::slow);
      worker_.count_request();
      refuse(408, "The request's body did not come in time.", true);
      return;
    case Wait::write:
      if (!reader_is_fast_enough()) return give_up();
      worker_.wait(*this, Wait::write);
      // Others may have let go of what it shared with them.
      return worker_.count_unread(*this);
    case Wait::request:
      if (session_ && !is_stuck()) return session_->retire();
      return close(is_stuck() && worker_.limit_of(Wait::request) >= worker_.limit_of(Wait::write));
    case Wait::linger:
    case Wait::none:
      return close();
  }
}

void Connection::drain() {
  if (phase_ == Phase::session) return session_->drain();
  if (phase_ == Phase::receiving && (!intake_ || !intake_->started)) {
    // A request that has just come is still answered.
    readable_ = true;
    serve();
  } else if (phase_ == Phase::streaming && stream_) {
    stream_->ask_to_end();
  } else if (phase_ == Phase::lingering) {
    linger();
  }
}

void Connection::give_up() {
  worker_.count_shed(Shed::slow);
  close(true);
}

void Connection::cut() {
  if (phase_ != Phase::handling) return close();
  closes_when_handled_ = true;
  worker_.wait(*this, Wait::none);
  ::shutdown(fd_, SHUT_RDWR);
  cancel_.request_stop();
}

void Connection::give_way(bool had_time) {
  if (had_time && phase_ != Phase::handling && is_stuck()) return close(true);
  cut();
}

void Connection::close(bool abort) {
  if (phase_ == Phase::dead) return;
  if (session_) session_->leave(!abort && phase_ == Phase::session);
  phase_ = Phase::dead;
  if (stream_) {
    stream_->detach();
    stream_.reset();
  }
  release_intake();
  unsent_.clear();
  if (tls_ && !abort) tls_->shutdown();
  if (abort) {
    const struct ::linger option{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &option, sizeof option);
  } else if (unacknowledged() > 0) {
    // The kernel goes on to deliver it: to a client that takes nothing for minutes, if it is not told.
    const auto limit = static_cast<unsigned>(worker_.limit_of(Wait::write).count());
    ::setsockopt(fd_, IPPROTO_TCP, TCP_USER_TIMEOUT, &limit, sizeof limit);
  }
  worker_.loop().remove(fd_);
  ::close(fd_);
  fd_ = -1;
  worker_.forget(*this);
}

}  // namespace fairway::http
