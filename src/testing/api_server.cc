// SPDX-License-Identifier: Apache-2.0

#include "testing/api_server.h"

#include <utility>

namespace fairway::testing {

Result<std::shared_ptr<kube::Client>> client_with(const apiserver::EmbeddedServer& server,
                                                  const http::KeyedCertificate& certificate,
                                                  kube::ClientSettings settings) {
  kube::ClientConfig config;
  config.server = server.url();
  config.cluster_origin = config.user_origin = "the test's server";
  config.ca = server.authority();
  config.certificate = certificate.certificate;
  config.key = certificate.key;
  return kube::Client::create(std::move(config), std::move(settings));
}

ApiServer::ApiServer(std::unique_ptr<apiserver::EmbeddedServer> server, std::shared_ptr<kube::Client> client)
    : server_(std::move(server)), client_(std::move(client)) {}

Result<std::unique_ptr<ApiServer>> ApiServer::start(apiserver::ServerOptions options) {
  auto server = apiserver::EmbeddedServer::start(std::move(options));
  if (!server) return fail(server.error());
  auto client = client_with(**server, (*server)->admin());
  if (!client) return fail(client.error());
  return std::unique_ptr<ApiServer>(new ApiServer(*std::move(server), *std::move(client)));
}

Result<std::shared_ptr<kube::Client>> ApiServer::client_of(const std::string& user,
                                                           const std::vector<std::string>& groups) const {
  const auto certificate = server_->client_certificate(user, groups);
  if (!certificate) return fail(certificate.error());
  return client_with(*server_, *certificate);
}

Result<void> ApiServer::apply(std::string_view documents, const std::string& origin) {
  if (auto applied = server_->apply(documents, origin); !applied) return applied;
  server_->wait_until_current();
  return {};
}

}  // namespace fairway::testing
