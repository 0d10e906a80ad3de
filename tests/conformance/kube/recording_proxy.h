// SPDX-License-Identifier: Apache-2.0

// Stands between a client and the real API server, and writes down what they say to each other.
#pragma once

#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/json.h"
#include "conformance/kube/cluster.h"
#include "http/client.h"
#include "http/server.h"
#include "support/loopback_server.h"

namespace fairway::conformance {

/// Plain HTTP on loopback; to the API server everybody is admin.
class RecordingProxy {
 public:
  explicit RecordingProxy(const Cluster& cluster)
      : upstream_(http::Url::parse(cluster.server()).value()), token_(cluster.token()) {
    http::ClientOptions trusting;
    trusting.system_cas = false;
    trusting.proxy_environment = false;
    trusting.ca_texts.emplace_back(cluster.authority(), "the cluster's CA");
    client_ = http::Client::create(trusting).value();
    server_ = fairway::testing::serve_on_loopback(
        "GET POST PUT PATCH DELETE", [this](const http::Request& request) { return pass(request); },
        {.blocking_threads = 1});
  }

  std::string url() const { return "http://" + server_->address(); }
  /// Returns the exchanges since the last call, as `kube::testing::ScriptedApi` replays them.
  json::Array take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(exchanges_, {});
  }

 private:
  static json::Value body_of(std::string_view text) {
    auto value = json::parse(text);
    return value ? *std::move(value) : json::Value(text);
  }

  http::Response pass(const http::Request& request) {
    http::Call call;
    call.method = request.method;
    call.url = upstream_;
    call.url.path = request.path;
    call.url.query = request.query;
    call.body = request.body;
    call.limits.deadline = request.deadline;
    json::Object said{{"method", request.method}, {"target", request.target}};
    json::Object headers;
    for (const char* name : {"Accept", "Content-Type"}) {
      const std::string value = request.headers_joined(name);
      headers[name] = value;
      if (!value.empty()) call.headers.add(name, value);
    }
    call.headers.add("Authorization", "Bearer " + token_);
    said["headers"] = std::move(headers);
    if (!request.body.empty()) said["body"] = body_of(request.body);
    const auto reply = client_->send(call);
    if (!reply) return http::Response::text(502, reply.error().message);

    json::Object answered{{"status", reply->status}};
    http::Response response = http::Response::json(reply->status, reply->body);
    json::Object kept;
    for (const char* name : {"Warning", "Retry-After"}) {
      const auto value = reply->headers.find(name);
      if (!value) continue;
      kept[name] = *value;
      response.headers.set(name, std::string(*value));
    }
    if (!kept.empty()) answered["headers"] = std::move(kept);
    answered["body"] = body_of(reply->body);
    const std::lock_guard lock(mutex_);
    exchanges_.push_back(json::Object{{"request", std::move(said)}, {"reply", std::move(answered)}});
    return response;
  }

  const http::Url upstream_;
  const std::string token_;
  std::unique_ptr<http::Client> client_;
  std::mutex mutex_;
  json::Array exchanges_;
  std::unique_ptr<http::Server> server_;
};

}  // namespace fairway::conformance
