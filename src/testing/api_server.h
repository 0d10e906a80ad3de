// SPDX-License-Identifier: Apache-2.0

// Test kit: an API server in the test's own process.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/server.h"
#include "base/result.h"
#include "kube/client/client.h"

namespace fairway::testing {

/// A server with an administrator's client. It starts in milliseconds and is gone with its object, so that
/// each test can have one of its own.
class ApiServer {
 public:
  /// Starts a server; without options in memory, on a free port of loopback. Errors: those of
  /// `apiserver::EmbeddedServer::start`.
  static Result<std::unique_ptr<ApiServer>> start(apiserver::ServerOptions options = {});

  apiserver::EmbeddedServer& server() { return *server_; }
  /// The administrator's client, with the runtime's usual settings.
  const std::shared_ptr<kube::Client>& client() const { return client_; }
  /// Makes a client of a user, who may do what roles and bindings allow. Errors: names that a certificate
  /// cannot have.
  Result<std::shared_ptr<kube::Client>> client_of(const std::string& user,
                                                  const std::vector<std::string>& groups = {}) const;

  /// Creates the objects of YAML documents, and waits until the resources of definitions among them are
  /// served. Errors name the document by `origin` and line.
  Result<void> apply(std::string_view documents, const std::string& origin);

 private:
  ApiServer(std::unique_ptr<apiserver::EmbeddedServer> server, std::shared_ptr<kube::Client> client);

  std::unique_ptr<apiserver::EmbeddedServer> server_;
  std::shared_ptr<kube::Client> client_;
};

/// Makes a client of `server` that shows a certificate, as the administrator's (`server.admin()`) is one.
/// Errors: the certificate or its key cannot be read.
Result<std::shared_ptr<kube::Client>> client_with(const apiserver::EmbeddedServer& server,
                                                  const http::KeyedCertificate& certificate,
                                                  kube::ClientSettings settings = {});

}  // namespace fairway::testing
