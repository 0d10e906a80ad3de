// SPDX-License-Identifier: Apache-2.0

// An API server that replays a conversation: it knows which requests come, in which order, and what it
// answers.
#pragma once

#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "http/server.h"
#include "support/loopback_server.h"

namespace fairway::kube::testing {

class ScriptedApi {
 public:
  /// Creates a server. Each exchange is {"request": {"method", "target", "headers"?, "body"?}, "reply":
  /// {"status", "headers"?, "body"?}}. Only the given members of a request are compared: a header of "" must
  /// be absent, and a body that is not a text is compared as JSON. Bodies of replies that are not texts are
  /// sent as JSON.
  explicit ScriptedApi(json::Array exchanges, std::optional<http::TlsServerOptions> tls = {})
      : exchanges_(std::move(exchanges)) {
    server_ = fairway::testing::serve_on_loopback(
        "GET POST PUT PATCH DELETE", [this](const http::Request& request) { return answer(request); },
        {.tls = std::move(tls), .blocking_threads = 1});
  }

  std::string address() const { return server_->address(); }
  std::string url() const { return "http://" + server_->address(); }
  /// Returns the differences from the script, and the requests that did not come; "" if there are none.
  std::string faults() const {
    const std::lock_guard lock(mutex_);
    if (!faults_.empty() || next_ == exchanges_.size()) return faults_;
    return "request " + std::to_string(next_) + " did not come";
  }

 private:
  static std::string text_of(const json::Value& value) {
    return value.is_string() ? std::string(value.get_string()) : json::to_text(value);
  }

  /// Returns the first difference of a request; "" for none.
  static std::string compare(const http::Request& request, const json::Value& expected,
                             const http::Peer& peer) {
    const auto differs = [](std::string_view what, std::string_view is, std::string_view should) {
      return std::string(what) + " is '" + std::string(is) + "', not '" + std::string(should) + "'";
    };
    if (const auto method = json::find_string(expected, "method"); method && request.method != *method) {
      return differs("the method", request.method, *method);
    }
    if (const auto target = json::find_string(expected, "target"); target && request.target != *target) {
      return differs("the target", request.target, *target);
    }
    if (const json::Value* headers = json::find(expected, "headers")) {
      for (const auto& [name, value] : headers->as_object()) {
        const std::string is = request.headers_joined(name);
        if (is != std::string_view(value.as_string()))
          return differs(name, is, std::string_view(value.as_string()));
      }
    }
    if (const auto subject = json::find_string(expected, "subject");
        subject && peer.certificate_subject != *subject) {
      return differs("the client", peer.certificate_subject, *subject);
    }
    if (const json::Value* body = json::find(expected, "body")) {
      const auto parsed = json::parse(request.body);
      const bool same = body->is_string() ? request.body == text_of(*body) : parsed && *parsed == *body;
      if (!same) return differs("the body", request.body, text_of(*body));
    }
    return "";
  }

  http::Response answer(const http::Request& request) {
    const std::lock_guard lock(mutex_);
    const auto fault = [&](const std::string& what) {
      if (faults_.empty()) faults_ = "request " + std::to_string(next_) + ": " + what;
      return http::Response::text(418, what);
    };
    if (next_ == exchanges_.size()) {
      return fault("nothing more was to come, but " + std::string(request.method) + " " +
                   std::string(request.target));
    }
    const json::Value& exchange = exchanges_[next_];
    const std::string wrong = compare(request, exchange.at("request"), *request.peer);
    if (!wrong.empty()) return fault(wrong);
    ++next_;
    const json::Value& reply = exchange.at("reply");
    const json::Value* body = json::find(reply, "body");
    http::Response response = http::Response::json(static_cast<int>(reply.at("status").as_int64()),
                                                   body != nullptr ? text_of(*body) : "");
    if (const json::Value* headers = json::find(reply, "headers")) {
      for (const auto& [name, value] : headers->as_object()) response.headers.set(name, text_of(value));
    }
    return response;
  }

  mutable std::mutex mutex_;
  const json::Array exchanges_;
  std::size_t next_ = 0;
  std::string faults_;
  std::unique_ptr<http::Server> server_;
};

}  // namespace fairway::kube::testing
