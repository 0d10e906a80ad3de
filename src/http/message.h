// SPDX-License-Identifier: Apache-2.0

// HTTP messages: headers, requests, responses, shared immutable bytes.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace fairway::http {

/// Shared immutable bytes: written to the socket without a copy.
using Bytes = std::shared_ptr<const std::string>;
inline Bytes make_bytes(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

/// Header fields in order; names are case-insensitive.
class Headers {
 public:
  Headers() = default;
  Headers(std::initializer_list<std::pair<std::string, std::string>> fields) : fields_(fields) {}
  void add(std::string name, std::string value);
  /// Replaces all fields of that name with one.
  void set(std::string name, std::string value);
  void remove(std::string_view name);
  /// The first value, or std::nullopt.
  std::optional<std::string_view> find(std::string_view name) const;
  std::vector<std::string_view> find_all(std::string_view name) const;
  auto begin() const { return fields_.begin(); }
  auto end() const { return fields_.end(); }
  bool empty() const { return fields_.empty(); }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

/// One header field of a request in flight; views into the connection's buffer. Bytes are as sent (any but
/// control characters; not necessarily UTF-8).
struct Field {
  std::string_view name = {};
  std::string_view value = {};
};

/// The peer of a connection.
struct Peer {
  std::string address = {};  ///< "127.0.0.1:40112" or "[::1]:40112"
  bool tls = false;
  /// SHA-256 of the DER of the client certificate, verified by TLS: lowercase hexadecimal; empty if there is
  /// none. Read once for a connection, not for each request.
  std::string certificate_digest = {};
  std::string certificate_subject = {};  ///< RFC 2253, e.g. "CN=alice,O=system:masters"
};

/// A request as a handler sees it. Valid until the handler returns.
struct Request {
  std::string_view method = {};  ///< "GET"
  std::string_view target = {};  ///< the target as sent, e.g. "/api/graph?channel=stable-4.16"
  std::string_view path = {};    ///< the target up to "?", still percent-encoded
  std::string_view query = {};   ///< after "?", still percent-encoded; empty without one
  std::span<const Field> fields = {};
  std::string_view body = {};
  const Peer* peer = nullptr;
  /// The client's deadline or the server's own limit: handlers must not wait beyond it.
  SteadyTime deadline = {};
  /// Stop is requested when the connection is closed or the server stops.
  std::stop_token cancelled = {};
  /// `Flow::context` of the router's flow; null if there is none. The router's owner knows its type.
  std::shared_ptr<const void> context = {};

  /// The first value of a header, or std::nullopt; names are case-insensitive.
  std::optional<std::string_view> header(std::string_view name) const;
  /// All values of a header joined by ", ", as RFC 9110 allows for list headers; empty without any.
  std::string headers_joined(std::string_view name) const;
};

class MemoryFile;

/// A reply that is serialized once: status line and headers are one block of bytes, Content-Length included,
/// and only Date and Connection are added when it is sent.
class Prepared {
 public:
  /// `headers` without Content-Length, Date and Connection. A null body means no body; for status 304 and 204
  /// no Content-Length is written.
  static std::shared_ptr<const Prepared> make(int status, const Headers& headers, Bytes body);
  int status() const { return status_; }
  /// "HTTP/1.1 200 OK\r\nContent-Type: ...\r\n...Content-Length: 12\r\n", without the empty line at the end.
  const std::string& head() const { return head_; }
  const Bytes& body() const { return body_; }
  /// The body as a memory file for sendfile, created on first use; null for small bodies and if the system
  /// cannot create one. Safe from all threads.
  std::shared_ptr<const MemoryFile> file() const;

 private:
  int status_ = 200;
  std::string head_;
  Bytes body_;
  mutable std::once_flag file_made_;
  mutable std::shared_ptr<const MemoryFile> file_;
};

class Stream;

/// A handler's reply: a prepared one, or status, headers and body, or a stream.
struct Response {
  int status = 200;
  /// The headers; with `prepared`, fields added for this request only (for example
  /// Access-Control-Allow-Origin).
  Headers headers = {};
  Bytes body = {};
  std::shared_ptr<const Prepared> prepared = {};
  /// The body follows in chunks; `body` is not used then.
  std::shared_ptr<Stream> stream = {};

  static Response text(int status, std::string body, std::string content_type = "text/plain; charset=utf-8");
  static Response json(int status, std::string body) {
    return text(status, std::move(body), "application/json");
  }
  static Response of(std::shared_ptr<const Prepared> prepared) {
    Response response;
    response.status = prepared->status();
    response.prepared = std::move(prepared);
    return response;
  }
};

/// The body of a streamed reply: a bounded queue between its producer and one client. Safe from all
/// threads.
class Stream {
 public:
  /// At most `capacity_bytes` are queued for a slow client; a queue that is at most half full (`has_room`)
  /// accepts one chunk of any size. If the last reference is dropped without `close`, the reply is aborted as
  /// by `close(true)`.
  static std::shared_ptr<Stream> make(std::size_t capacity_bytes = 1 << 20);
  virtual ~Stream() = default;
  /// Returns whether a chunk of any size is accepted now: a producer that makes chunks only then holds none
  /// for a client that does not read.
  virtual bool has_room() const = 0;
  /// Calls `ready` once when there is room, or the client has disconnected: at once if that is so already.
  /// The call may come from any thread, also within `on_room`, and should only wake somebody. An empty
  /// function takes the last one away, which may be running.
  virtual void on_room(std::function<void()> ready) = 0;
  /// Queues a chunk. False if the queue is full (the client is too slow) or the client has disconnected;
  /// nothing was queued.
  virtual bool try_push(Bytes piece) = 0;
  /// Waits for room. An error if the client has disconnected (`cancelled`) or `deadline` has passed
  /// (`deadline_exceeded`).
  virtual Result<void> push(Bytes piece, SteadyTime deadline) = 0;
  /// Ends the body. With `broken` the connection is closed without the final chunk, so that the client sees a
  /// failure.
  virtual void close(bool broken = false) = 0;
  /// Stop is requested when the client disconnects or the server stops.
  virtual std::stop_token cancelled() const = 0;
};

/// "OK" for 200; "Unknown" for codes without a name.
std::string_view reason_phrase(int status);

}  // namespace fairway::http
