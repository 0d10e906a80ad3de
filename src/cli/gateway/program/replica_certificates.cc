// SPDX-License-Identifier: Apache-2.0

#include "cli/gateway/program/replica_certificates.h"

#include <utility>

namespace fairway::cli {

namespace {

webhook::CertificatePolicy policy() {
  webhook::CertificatePolicy policy;
  policy.names = {gateway::replica_name};
  policy.authority_name = "Fairway gateway replicas";
  return policy;
}

}  // namespace

Result<std::unique_ptr<ReplicaCertificates>> ReplicaCertificates::create(
    const std::shared_ptr<kube::Client>& client, const std::string& namespace_name) {
  auto made = std::make_unique<ReplicaCertificates>();
  ReplicaCertificates* const self = made.get();
  auto kept = webhook::ServerCertificates::create(
      client,
      {.secret = {namespace_name, "fairway-gateway-replicas"},
       .policy = policy(),
       .targets = {},
       .serve = [self, clock = &client->clock()](
                    const http::KeyedCertificate& server) { return self->serve(server, clock->now()); },
       .before_publishing = [self](const std::string& bundle) -> Result<void> {
         const std::scoped_lock lock(self->mutex_);
         self->now_.authorities = bundle;
         return {};
       }});
  if (!kept) return fail(kept.error());
  made->kept_ = *std::move(kept);
  return made;
}

Result<void> ReplicaCertificates::serve(const http::KeyedCertificate& server, WallTime at) {
  const webhook::CertificatePolicy rules = policy();
  auto client =
      http::issue_client_certificate(kept_->set()->current().pair, gateway::replica_name, {},
                                     {.from = at - rules.skew, .until = at + rules.serving_validity});
  if (!client) return fail(client.error());
  const std::scoped_lock lock(mutex_);
  now_.server = server;
  now_.client = *std::move(client);
  return {};
}

Result<gateway::ReplicaCertificates> ReplicaCertificates::now() {
  const std::scoped_lock lock(mutex_);
  if (now_.server.certificate.empty() || now_.authorities.empty())
    return fail(ErrorCode::unavailable, "the Secret fairway-gateway-replicas has not been read yet");
  return now_;
}

}  // namespace fairway::cli
