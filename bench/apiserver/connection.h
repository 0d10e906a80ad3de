// SPDX-License-Identifier: Apache-2.0

// An HTTPS connection that does as little as a client can, so that the server is what is measured.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <string_view>

namespace fairway::bench {

struct SslFree {
  void operator()(SSL* ssl) const { SSL_free(ssl); }
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};

/// A server of this machine, and the identity of the client. The server's certificate is not verified.
class Target {
 public:
  /// Opens a target. `identity` is a file with a certificate and its key (PEM); empty: anonymous. Ends the
  /// program if it cannot be read. `http2`: connections choose HTTP/2.
  Target(int port, const std::string& identity, bool http2 = false);

  int port() const { return port_; }
  SSL_CTX* context() const { return context_.get(); }

 private:
  int port_;
  std::unique_ptr<SSL_CTX, SslFree> context_;
};

/// A kept connection; used by one thread.
class Connection {
 public:
  /// Connects and shakes hands; `is_open` is false if that fails.
  explicit Connection(const Target& target);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool is_open() const { return ssl_ != nullptr; }
  int socket() const { return socket_; }
  SSL* ssl() const { return ssl_.get(); }

  /// Sends a request. Returns false if the server does not accept it.
  bool send(std::string_view method, std::string_view path, std::string_view body = {});
  struct Reply {
    /// Status code; 0 if there was no reply.
    int status = 0;
    /// Size of the body as sent, with the framing of chunks.
    std::size_t bytes = 0;
  };
  /// Reads a whole reply, whose body is counted and dropped.
  Reply receive();

 private:
  /// Reads more. Returns false at the end.
  bool fill();
  /// Reads and drops a body in chunks, to its end. Returns its bytes, or 0.
  std::size_t skip_chunks();

  int socket_ = -1;
  std::unique_ptr<SSL, SslFree> ssl_;
  std::string read_;
};

}  // namespace fairway::bench
