// SPDX-License-Identifier: Apache-2.0

// A server in the test's own process, and requests with headers of the test's choice.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "apiserver/server_case.h"
#include "http/client.h"
#include "support/generous.h"

namespace fairway::apiserver::testing {

/// A server whose answers tests see as they are.
class OnRawServer : public OnServer {
 protected:
  /// Sends a request as the administrator. A body is JSON.
  http::Reply send(const std::string& method, const std::string& target, const std::string& accept,
                   const std::string& body = {}) const {
    http::Call call;
    call.method = method;
    call.url = http::Url::parse(server->url() + target).value();
    call.headers.add("Accept", accept);
    if (!body.empty()) call.headers.add("Content-Type", "application/json");
    call.body = body;
    call.limits = Limits::within(Clock::system(), fairway::testing::generous(std::chrono::seconds(20)));
    auto reply = raw_->send(call);
    if (!reply) throw std::runtime_error(reply.error().message);
    return *std::move(reply);
  }
  http::Reply ask(const std::string& target, const std::string& accept) const {
    return send("GET", target, accept);
  }
  /// Returns the status and the Content-Type of an answer: "200 application/json".
  std::string type(const std::string& target, const std::string& accept) const {
    const http::Reply reply = ask(target, accept);
    return std::to_string(reply.status) + " " + std::string(reply.headers.find("Content-Type").value_or(""));
  }

 private:
  std::unique_ptr<http::Client> made() const {
    http::ClientOptions options{.system_cas = false, .proxy_environment = false};
    options.ca_texts = {{server->authority(), "the test's server"}};
    options.certificate = server->admin().certificate;
    options.key = server->admin().key;
    return http::Client::create(options).value();
  }
  std::unique_ptr<http::Client> raw_ = made();
};

}  // namespace fairway::apiserver::testing
