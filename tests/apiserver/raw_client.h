// SPDX-License-Identifier: Apache-2.0

// Requests with any headers, and whatever is answered.
#pragma once

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "apiserver/server_case.h"
#include "http/client.h"
#include "support/generous.h"

namespace fairway::apiserver::testing {

/// A client with a client certificate, or with none.
class RawClient {
 public:
  explicit RawClient(const EmbeddedServer& server, const http::KeyedCertificate* certificate = nullptr)
      : url_(server.url()) {
    http::ClientOptions options{.system_cas = false,
                                .ca_texts = {{server.authority(), "the test's server"}},
                                .proxy_environment = false};
    if (certificate != nullptr) {
      options.certificate = certificate->certificate;
      options.key = certificate->key;
    }
    auto client = http::Client::create(options);
    if (!client) throw std::runtime_error(client.error().message);
    client_ = *std::move(client);
  }

  http::Reply send(const std::string& method, const std::string& path, http::Headers headers = {},
                   std::string body = "") const {
    using namespace std::chrono_literals;
    if (!body.empty() && !headers.find("Content-Type")) headers.add("Content-Type", "application/json");
    auto reply = client_->send(
        {.method = method,
         .url = http::Url::parse(url_ + path).value(),
         .headers = std::move(headers),
         .body = std::move(body),
         .limits = Limits::within(Clock::system(), fairway::testing::generous(std::chrono::seconds(6)))});
    if (!reply) throw std::runtime_error(reply.error().message);
    return *std::move(reply);
  }

 private:
  std::string url_;
  std::unique_ptr<http::Client> client_;
};

/// Returns the object in a reply; an empty one if the text is none.
inline k8s::Dynamic body_of(const http::Reply& reply) {
  auto value = json::parse(reply.body);
  return value && value->is_object() ? k8s::Dynamic(std::move(value->get_object())) : k8s::Dynamic();
}

}  // namespace fairway::apiserver::testing
