// SPDX-License-Identifier: Apache-2.0

// A complete webhook server: HTTPS, certificate management, handlers and their registration with API
// servers.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/semver.h"
#include "http/server.h"
#include "k8s/custom_resource_definition.h"
#include "kube/client/client.h"
#include "webhook/address.h"
#include "webhook/certificate_set.h"
#include "webhook/handler.h"
#include "webhook/server_certificates.h"

namespace fairway::webhook {

class Registrar;
class Readiness;

struct ServerOptions {
  /// "127.0.0.1:9443", ":9443" (all addresses).
  std::string listen = ":9443";
  /// The address for API servers: its Service or, for a server outside of the cluster, its URL
  /// ("https://HOST:PORT").
  Address address = {};
  /// `admission_handler`, `conversion::webhook_handlers`. Without any there is no server and no Secret; the
  /// definitions are registered and restored all the same.
  std::vector<Handler> handlers = {};
  /// Registered at the start; those that a handler converts with a conversion stanza for this server.
  std::vector<k8s::CustomResourceDefinition> definitions = {};
  /// The release of this program: definitions registered by a newer release are not changed.
  Version release = {};
  /// The Secret with the certificates, shared by all replicas; created if absent.
  k8s::Key secret = {};
  /// The times at which certificates are renewed, and their names. Without names, those of the address are
  /// used.
  CertificatePolicy certificates = {};
  /// An external certificate, from PEM files that are reloaded when they change: then there is no Secret, and
  /// `caBundle` must be set by the issuer.
  std::string certificate_file = {}, key_file = {};
  /// CAs (PEM) of the certificates that API servers have for webhooks (`kubeConfigFile` of their
  /// AdmissionConfiguration); handlers answer nobody without one. Empty: they answer everybody.
  std::string client_ca_file = {};
  /// Maximum interval between checks for external changes of the registrations; of kinds that need a guard
  /// (`Conversion::guarded`) no longer than 5 s.
  std::chrono::nanoseconds check_interval = std::chrono::seconds(30);
  /// Additional routes.
  http::Router router = {};
};

/// Runs on its own threads from `start` on. Replicas need no leader.
class WebhookServer {
 public:
  /// Reads or issues the certificates, serves, registers the definitions and the webhook configurations, and
  /// waits until the definitions are established. The order makes sure that handlers are served before they
  /// are registered. From then on certificates are rotated, and deleted or changed registrations are restored
  /// within `check_interval`, with external certificates too. An API server that is not reached, or not in
  /// time, is retried until `stop`, with a line in the log. Errors name the address, the Secret, a definition
  /// or a configuration, with the server's message; a definition of several versions that no handler
  /// converts; a kind that needs a guard and has none (`Conversion::guarded`).
  static Result<std::unique_ptr<WebhookServer>> start(std::shared_ptr<kube::Client> client,
                                                      ServerOptions options,
                                                      const std::stop_token& stop = {});
  /// Stops immediately; see `drain`.
  ~WebhookServer();
  WebhookServer(const WebhookServer&) = delete;
  WebhookServer& operator=(const WebhookServer&) = delete;

  /// "127.0.0.1:9443": the bound address; empty without handlers.
  std::string address() const { return server_ ? server_->address() : ""; }
  /// Returns the reason why this replica is not ready, and must not lead: definitions on the server have
  /// versions that the handlers do not convert, because a newer release has registered them. `/readyz`
  /// reports it too. Checked every second until ready, then every `check_interval`. A replica stays ready
  /// once it was: during the rollout of a newer release it serves the versions that it knows, and logs those
  /// that it cannot convert.
  std::optional<std::string> not_ready() const;
  /// Stops certificate rotation, accepts one more request per open connection for 2 s, finishes requests in
  /// flight, and returns when all are done or `limit` has passed after that.
  void drain(std::chrono::milliseconds limit);

 private:
  WebhookServer(std::shared_ptr<kube::Client> client, ServerOptions options,
                std::unique_ptr<Registrar> registrar);

  Result<void> begin(const std::stop_token& stop);
  Result<void> make_certificates(const std::stop_token& stop);
  Result<void> first_round(const std::stop_token& stop);
  Result<void> serve(const http::TlsServerOptions& tls);
  Result<void> check(const std::stop_token& stop);
  void run_checks(const std::stop_token& stop);

  const std::shared_ptr<kube::Client> client_;
  const ServerOptions options_;
  const std::unique_ptr<Registrar> registrar_;
  const std::unique_ptr<Readiness> readiness_;
  std::unique_ptr<http::Server> server_;
  bool guarded_ = false;       ///< each kind that needs a guard has one, by the last check
  bool others_guard_ = false;  ///< a kind that needs no guard here has one, by the last check
  bool cannot_serve_ = false;  ///< it was not able to listen, which waiting does not help
  std::unique_ptr<ServerCertificates> certificates_;
  std::stop_source stop_;
  std::jthread certificate_thread_, check_thread_;  ///< the last members: they use the others
};

}  // namespace fairway::webhook
