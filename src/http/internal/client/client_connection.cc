// SPDX-License-Identifier: Apache-2.0

#include "http/internal/client/client_connection.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/text.h"
#include "http/credentials.h"
#include "http/internal/client/reply_parser.h"
#include "http/internal/client/reply_sink.h"
#include "http/internal/wire.h"

namespace fairway::http {
namespace {

constexpr std::size_t read_bytes = 64 * 1024;

std::unexpected<Error> broken(const std::string& what, int error) {
  return fail(ErrorCode::unavailable, what + ": " + std::generic_category().message(error));
}

}  // namespace

std::pair<FileDescriptor, std::unique_ptr<TlsSession>> ClientConnection::take() {
  return {std::move(fd_), std::move(tls_)};
}

ClientConnection::~ClientConnection() {
  if (tls_) tls_->shutdown();
}

Result<std::unique_ptr<ClientConnection>> ClientConnection::open(const Route& route,
                                                                 const SocketWait& sockets) {
  const Url& first = route.proxy ? *route.proxy : route.url;
  // One limit for connecting, tunnel and handshake together.
  const SteadyTime until =
      std::min(std::chrono::steady_clock::now() + route.connect_timeout, sockets.limits().deadline);
  auto fd = connect_to(first.host, first.port, route.connect_timeout, sockets);
  if (!fd) return fail(route.proxy ? fd.error().within("reaching the proxy") : fd.error());
  if (route.on_reached) route.on_reached();
  std::unique_ptr<ClientConnection> connection(new ClientConnection(std::move(*fd)));
  if (route.url.scheme != "https") return connection;
  const SocketWait setup({until, sockets.limits().stop});
  const auto judged = [&](Error error) {
    // The caller's deadline has not passed: it is the server that is too slow.
    if (error.code == ErrorCode::deadline_exceeded &&
        std::chrono::steady_clock::now() < sockets.limits().deadline) {
      error.code = ErrorCode::unavailable;
    }
    return fail(std::move(error));
  };
  if (route.proxy) {
    if (auto opened = connection->open_tunnel(route, setup); !opened) return judged(opened.error());
  }
  if (auto started = connection->start_tls(route, setup); !started) return judged(started.error());
  return connection;
}

Result<void> ClientConnection::open_tunnel(const Route& route, const SocketWait& sockets) {
  const std::string doing = "opening a tunnel through the proxy " + route.proxy->to_string();
  std::string target =
      route.url.host.find(':') != std::string::npos ? "[" + route.url.host + "]" : route.url.host;
  target += ":" + std::to_string(route.url.port);
  std::string head = "CONNECT " + target + " HTTP/1.1\r\n";
  append_field(head, "Host", target);
  if (!route.proxy->userinfo.empty()) {
    append_field(head, "Proxy-Authorization", basic_authorization(route.proxy->userinfo));
  }
  head += "\r\n";
  iovec piece{head.data(), head.size()};
  if (auto written = write({&piece, 1}, sockets); !written) return fail(written.error().within(doing));
  // The reply to CONNECT has no body: what follows is the server's (RFC 9110, section 9.3.6).
  ReplyParser parser(true);
  std::string pending;
  while (true) {
    // One byte beyond the head would belong to TLS; a server speaks second there, so there is none.
    char bytes[4096];
    const auto got = read(bytes, sizeof bytes, sockets);
    if (!got) return fail(got.error().within(doing));
    if (*got == 0) return fail(ErrorCode::unavailable, doing + ": it closed the connection");
    pending.append(bytes, *got);
    std::size_t consumed = 0;
    const auto progress = parser.feed(pending, consumed);
    if (!progress) return fail(progress.error().within(doing));
    pending.erase(0, consumed);
    if (*progress == ReplyParser::Progress::more) continue;
    if (parser.status() / 100 != 2) {
      return fail(ErrorCode::unavailable, doing + ": it answered " + std::to_string(parser.status()) + " " +
                                              std::string(reason_phrase(parser.status())));
    }
    return {};
  }
}

Result<void> ClientConnection::start_tls(const Route& route, const SocketWait& sockets) {
  tls_ = std::make_unique<TlsSession>(route.tls, fd_.get(), route.tls_name, route.verify);
  const std::string doing = "starting TLS with " + route.url.host;
  while (true) {
    short events = POLLIN;
    switch (tls_->handshake()) {
      case TlsSession::Outcome::done:
        return {};
      case TlsSession::Outcome::want_read:
        break;
      case TlsSession::Outcome::want_write:
        events = POLLOUT;
        break;
      case TlsSession::Outcome::closed:
      case TlsSession::Outcome::failed: {
        std::string why = tls_->error().empty() ? "the server closed the connection" : tls_->error();
        if (tls_->certificate_refused()) {
          why = "the server's certificate is not accepted: " + why;
          if (tls_->issuer_unknown()) {
            why +=
                "; if the server is the right one, give the PEM file of the CA that signed its certificate "
                "as a "
                "trusted CA file";
          } else {
            why += "; expected a valid certificate for " + route.tls_name;
          }
        }
        if (tls_->shared_key_differs())
          return fail(ErrorCode::unauthenticated, doing + ": the server has another shared key");
        return fail(ErrorCode::unavailable, doing + ": " + why);
      }
    }
    if (auto ready = sockets.wait(fd_.get(), events); !ready) return fail(ready.error().within(doing));
  }
}

Result<void> ClientConnection::write(std::span<iovec> pieces, const SocketWait& sockets) {
  while (!pieces.empty()) {
    if (pieces.front().iov_len == 0) {
      pieces = pieces.subspan(1);
      continue;
    }
    std::size_t written = 0;
    bool blocked = false;
    if (tls_) {
      const auto outcome = tls_->write(pieces, written);
      if (outcome == TlsSession::Outcome::failed || outcome == TlsSession::Outcome::closed) {
        return fail(ErrorCode::unavailable, "sending the request: " + tls_->error());
      }
      blocked = outcome != TlsSession::Outcome::done;
    } else {
      msghdr message{};
      message.msg_iov = pieces.data();
      message.msg_iovlen = pieces.size();
      const auto sent = ::sendmsg(fd_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0 && errno != EAGAIN && errno != EWOULDBLOCK) return broken("sending the request", errno);
      blocked = sent < 0;
      written = sent < 0 ? 0 : static_cast<std::size_t>(sent);
    }
    while (written > 0) {
      const std::size_t step = std::min(written, pieces.front().iov_len);
      pieces.front().iov_base = static_cast<char*>(pieces.front().iov_base) + step;
      pieces.front().iov_len -= step;
      written -= step;
      if (pieces.front().iov_len == 0) pieces = pieces.subspan(1);
    }
    if (!blocked) continue;
    pollfd waiting{.fd = fd_.get(), .events = POLLOUT, .revents = 0};
    // Over TLS, bytes that come in may be no answer at all (session tickets).
    if (!tls_) waiting.events |= POLLIN;
    if (auto ready = sockets.wait(&waiting, 1, sockets.limits().deadline); !ready) {
      return fail(ready.error().within("sending the request"));
    }
    if ((waiting.revents & POLLIN) != 0) {
      answered_early_ = true;
      return {};
    }
  }
  return {};
}

Result<std::size_t> ClientConnection::read(char* out, std::size_t room, const SocketWait& sockets) {
  while (true) {
    short events = POLLIN;
    if (tls_) {
      std::size_t got = 0;
      switch (tls_->read(out, room, got)) {
        case TlsSession::Outcome::done:
          return got;
        case TlsSession::Outcome::closed:
          return 0;
        case TlsSession::Outcome::failed:
          return fail(ErrorCode::unavailable, "reading the reply: " + tls_->error());
        case TlsSession::Outcome::want_read:
          break;
        case TlsSession::Outcome::want_write:
          events = POLLOUT;
          break;
      }
    } else {
      const auto got = ::recv(fd_.get(), out, room, MSG_DONTWAIT);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno == EINTR) continue;
      if (errno != EAGAIN && errno != EWOULDBLOCK) return broken("reading the reply", errno);
    }
    if (auto ready = sockets.wait(fd_.get(), events); !ready) {
      return fail(ready.error().within("waiting for the reply"));
    }
  }
}

Result<ClientConnection::Outcome> ClientConnection::exchange(const std::string& head, const Call& call,
                                                             const SocketWait& sockets, bool& nothing_read) {
  nothing_read = true;
  std::array<iovec, 2> pieces{iovec{const_cast<char*>(head.data()), head.size()},
                              iovec{const_cast<char*>(call.body.data()), call.body.size()}};
  const auto written = write(pieces, sockets);
  if (!written && written.error().code != ErrorCode::unavailable) return fail(written.error());
  // A server that refuses a body may answer and close before it has read all of it: look for that answer.
  bool whole = written.has_value() && !answered_early_;

  Outcome outcome;
  ReplyParser parser(call.method == "HEAD");
  std::size_t received = 0;
  const auto buffer = std::make_unique_for_overwrite<char[]>(read_bytes);
  std::size_t filled = 0;
  for (bool complete = false; !complete;) {
    if (filled == read_bytes) {
      return fail(ErrorCode::unavailable, "the server's reply is no well-formed HTTP: a line has no end");
    }
    const auto got = read(buffer.get() + filled, read_bytes - filled, sockets);
    if (!got) return fail(!written && nothing_read ? written.error() : got.error());
    if (*got == 0) {
      if (nothing_read) {
        return fail(!written
                        ? written.error()
                        : Error{ErrorCode::unavailable, "the server closed the connection without a reply"});
      }
      if (auto finished = parser.finish(); !finished) return fail(finished.error());
      whole = false;
      break;
    }
    nothing_read = false;
    filled += *got;
    std::size_t begin = 0;
    while (begin < filled) {
      std::size_t consumed = 0;
      const auto progress = parser.feed({buffer.get() + begin, filled - begin}, consumed);
      if (!progress) return fail(progress.error());
      begin += consumed;
      if (*progress == ReplyParser::Progress::head) {
        outcome.reply.status = parser.status();
        outcome.reply.phrase = std::move(parser.phrase());
        parser.set_sink(make_sink(call, outcome.reply, received));
        // A reply without a body is complete with its head.
        std::size_t none = 0;
        const auto after = parser.feed({}, none);
        complete = after && *after == ReplyParser::Progress::complete;
      } else {
        complete = *progress == ReplyParser::Progress::complete;
      }
      if (complete || *progress == ReplyParser::Progress::more) break;
    }
    std::memmove(buffer.get(), buffer.get() + begin, filled - begin);
    filled -= begin;
  }
  outcome.reply.headers = std::move(parser.headers());
  if (auto decompressed = decompress(call, outcome.reply); !decompressed) return fail(decompressed.error());
  outcome.reusable = whole && filled == 0 && parser.keep_alive();
  return outcome;
}

bool ClientConnection::is_idle() {
  char byte = 0;
  if (tls_) {
    // Session tickets may wait unread, and are none of a reply.
    std::size_t got = 0;
    return tls_->read(&byte, 1, got) == TlsSession::Outcome::want_read;
  }
  const auto got = ::recv(fd_.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

}  // namespace fairway::http
