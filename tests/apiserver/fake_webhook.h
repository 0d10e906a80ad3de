// SPDX-License-Identifier: Apache-2.0

// A webhook over HTTPS, for tests.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/base64.h"
#include "http/server.h"
#include "support/loopback_tls.h"

namespace fairway::apiserver::testing {

/// Answers each POST, from several threads at once.
class FakeWebhook {
 public:
  using Answer = std::function<http::Response(const http::Request& request)>;

  explicit FakeWebhook(Answer answer) : answer_(std::move(answer)) {
    auto [authority, options] = fairway::testing::loopback_tls("webhook");
    authority_ = std::move(authority);
    options.listen = "127.0.0.1:0";
    options.io_threads = 1;
    options.max_body_bytes = std::size_t{16} << 20;
    http::Router router;
    router.blocking("/", "POST", [this](const http::Request& request) { return answer_(request); });
    server_ = http::Server::start(options, router).value();
  }

  /// Address of the webhook: "127.0.0.1:40112".
  std::string address() const { return "127.0.0.1:" + std::to_string(server_->port()); }
  std::string ca_bundle() const { return base64_encode(authority_.certificate); }

 private:
  Answer answer_;
  http::KeyedCertificate authority_;
  std::unique_ptr<http::Server> server_;
};

}  // namespace fairway::apiserver::testing
