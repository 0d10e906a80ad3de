// SPDX-License-Identifier: Apache-2.0

// A server in the test's own process, and a client of it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "apiserver/server.h"
#include "kube/client/client.h"
#include "support/is_ok.h"
#include "testing/api_server.h"

namespace fairway::apiserver::testing {

inline std::unique_ptr<EmbeddedServer> start_server(ServerOptions options = {}) {
  auto server = EmbeddedServer::start(std::move(options));
  if (!server) throw std::runtime_error(server.error().message);
  return *std::move(server);
}

/// Returns a client of the administrator, or with another certificate.
inline std::shared_ptr<kube::Client> client_of(const EmbeddedServer& server,
                                               kube::ClientSettings settings = {},
                                               const http::KeyedCertificate* certificate = nullptr) {
  if (certificate == nullptr) certificate = &server.admin();
  auto client = fairway::testing::client_with(server, *certificate, std::move(settings));
  if (!client) throw std::runtime_error(client.error().message);
  return *std::move(client);
}

inline json::Value parsed(std::string_view text) {
  return json::parse(text).value();
}
inline k8s::Dynamic object_of(std::string_view text) {
  return k8s::Dynamic(parsed(text).as_object());
}

inline const k8s::GroupVersionResource config_maps{"", "v1", "configmaps"};
inline const k8s::GroupVersionResource namespaces{"", "v1", "namespaces"};
inline const k8s::GroupVersionResource deployments{"apps", "v1", "deployments"};

/// A server in memory for each test.
class OnServer : public ::testing::Test {
 protected:
  k8s::Dynamic config_map(const std::string& name, const std::string& value = "1") const {
    return object_of(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name +
                     R"(","namespace":"default"},"data":{"a":")" + value + R"("}})");
  }
  static k8s::Key key(const std::string& name) { return {"default", name}; }

  /// Sends any request. Returns the reply's body, whatever its status.
  std::string send(const kube::ApiRequest& request) const {
    std::string body;
    const auto sent = client->send(request, body);
    return sent ? body : sent.error().status.to_text();
  }
  std::string get(const std::string& path, const std::string& query = "",
                  const std::string& accept = "application/json") const {
    return send({.path = path, .query = query, .accept = accept});
  }

  /// The server. Its namespaces have only objects that the test has made.
  std::unique_ptr<EmbeddedServer> server = start_server({.namespace_defaults = false});
  /// The client. It does not retry requests that the server refuses.
  std::shared_ptr<kube::Client> client = client_of(*server, {.max_retries = 0});
};

}  // namespace fairway::apiserver::testing
