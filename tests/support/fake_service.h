// SPDX-License-Identifier: Apache-2.0

// An HTTP server of a test's own: it answers as the test says, and remembers what it was asked.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "http/message.h"
#include "http/server.h"
#include "support/loopback_server.h"

namespace fairway::testing {

class FakeService {
 public:
  struct Seen {
    std::string method, target;
    std::map<std::string, std::string> headers;  ///< headers by name as sent
  };
  using Answer = std::function<http::Response(const http::Request&)>;

  explicit FakeService(Answer answer) : answer_(std::move(answer)) {
    server_ = fairway::testing::serve_on_loopback(
        "GET HEAD POST", [this](const http::Request& request) { return serve(request); },
        {.blocking_threads = 2});
  }

  /// "http://127.0.0.1:PORT" and the path.
  std::string url(const std::string& path) const { return "http://" + server_->address() + path; }
  std::string address() const { return server_->address(); }

  void answer(Answer answer) {
    const std::lock_guard lock(mutex_);
    answer_ = std::move(answer);
  }
  std::vector<Seen> seen() const {
    const std::lock_guard lock(mutex_);
    return seen_;
  }

 private:
  http::Response serve(const http::Request& request) {
    Answer answer;
    {
      const std::lock_guard lock(mutex_);
      Seen one{std::string(request.method), std::string(request.target), {}};
      for (const http::Field& field : request.fields) one.headers[std::string(field.name)] = field.value;
      seen_.push_back(std::move(one));
      answer = answer_;
    }
    return answer(request);
  }

  mutable std::mutex mutex_;
  Answer answer_;
  std::vector<Seen> seen_;
  std::unique_ptr<http::Server> server_;
};

inline http::Response with_headers(http::Response response, const http::Headers& headers) {
  for (const auto& [name, value] : headers) response.headers.set(name, value);
  return response;
}

/// Answers only when the client has gone.
inline http::Response never(const http::Request& request) {
  std::mutex mutex;
  std::condition_variable_any gone;
  std::unique_lock lock(mutex);
  gone.wait(lock, request.cancelled, [] { return false; });
  return http::Response::text(503, "too late");
}

/// Begins a body and cuts the connection.
inline http::Response cut_off(const std::string& beginning) {
  http::Response response;
  response.stream = http::Stream::make();
  response.stream->try_push(http::make_bytes(beginning));
  response.stream->close(true);
  return response;
}

}  // namespace fairway::testing
