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

/// Where a server of this machine listens, and who asks. Its certificate is not looked at.
class Target {
 public:
  /// `identity` is a file with a certificate and its key (PEM); empty: nobody. Ends the program where it
  /// cannot be read.
  Target(int port, const std::string& identity);

  int port() const { return port_; }
  SSL_CTX* context() const { return context_.get(); }

 private:
  int port_;
  std::unique_ptr<SSL_CTX, SslFree> context_;
};

/// Keeps the connection; used by one thread.
class Connection {
 public:
  /// Connects and shakes hands; false from `is_open` where that fails.
  explicit Connection(const Target& target);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool is_open() const { return ssl_ != nullptr; }
  int socket() const { return socket_; }
  SSL* ssl() const { return ssl_.get(); }

  /// Sends a request; false where the server does not take it.
  bool send(std::string_view method, std::string_view path, std::string_view body = {});
  struct Reply {
    /// 0 where there was none.
    int status = 0;
    /// As sent, the framing of chunks included.
    std::size_t bytes = 0;
  };
  /// Reads a whole reply, whose body is counted and dropped.
  Reply receive();

 private:
  /// Reads more; false at the end.
  bool fill();
  /// Reads and drops a body in chunks, to its end; its bytes, or 0.
  std::size_t skip_chunks();

  int socket_ = -1;
  std::unique_ptr<SSL, SslFree> ssl_;
  std::string read_;
};

}  // namespace fairway::bench
