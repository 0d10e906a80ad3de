// SPDX-License-Identifier: Apache-2.0

// One connection of the client: a socket, with TLS or without, and the requests that go over it one after the
// other.
#pragma once

#include <sys/uio.h>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "base/file_descriptor.h"
#include "http/client.h"
#include "http/dial.h"
#include "http/internal/tls/tls.h"

namespace fairway::http {

/// The way to a server.
struct Route {
  Url url;                   ///< scheme, host and port count
  std::optional<Url> proxy;  ///< plain HTTP
  TlsContext tls;            ///< for https
  std::string tls_name;      ///< name that the certificate must be for
  bool verify = true;
  std::chrono::milliseconds connect_timeout{};
  std::function<void()> on_reached;  ///< Call::on_reached
};

class ClientConnection {
 public:
  /// Connects, through the proxy's tunnel and with TLS if the route says so.
  static Result<std::unique_ptr<ClientConnection>> open(const Route& route, const SocketWait& sockets);
  ~ClientConnection();
  ClientConnection(const ClientConnection&) = delete;
  ClientConnection& operator=(const ClientConnection&) = delete;

  struct Outcome {
    Reply reply;
    bool reusable = false;
  };
  /// Sends a request (its head is complete) and reads the reply. `nothing_read` says, after a failure,
  /// whether no byte of a reply had been read.
  Result<Outcome> exchange(const std::string& head, const Call& call, const SocketWait& sockets,
                           bool& nothing_read);
  /// Returns whether the handshake has chosen HTTP/2, which this class does not speak.
  bool speaks_http2() const { return tls_ && tls_->chose_http2(); }
  /// Hands over the socket and its TLS.
  std::pair<FileDescriptor, std::unique_ptr<TlsSession>> take();
  /// Returns whether a kept connection is still open and silent, as it must be between two requests.
  bool is_idle();

  SteadyTime idle_since{};

 private:
  explicit ClientConnection(FileDescriptor fd) : fd_(std::move(fd)) {}
  Result<void> open_tunnel(const Route& route, const SocketWait& sockets);
  Result<void> start_tls(const Route& route, const SocketWait& sockets);
  /// Writes all of it, or stops early when the other side has already begun to answer.
  Result<void> write(std::span<iovec> pieces, const SocketWait& sockets);
  /// Reads at most `room` bytes; 0 at the end of the stream.
  Result<std::size_t> read(char* out, std::size_t room, const SocketWait& sockets);

  FileDescriptor fd_;
  std::unique_ptr<TlsSession> tls_;
  bool answered_early_ = false;
};

}  // namespace fairway::http
