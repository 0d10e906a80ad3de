// The complete webhook server of a program: HTTPS with its own certificates, and registration of CRDs and
// webhook configurations.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/metrics.h"
#include "base/semver.h"
#include "conversion/admission_registration.h"
#include "conversion/converters.h"
#include "conversion/webhook.h"
#include "http/server.h"
#include "kube/client/client.h"
#include "webhook/address.h"
#include "webhook/certificate_set.h"
#include "webhook/server_certificates.h"

namespace fairway::conversion {

struct WebhookServerOptions {
  /// "127.0.0.1:9443", ":9443" (all addresses).
  std::string listen = ":9443";
  /// The address for API servers: its Service or, for a server outside of the cluster, its URL
  /// ("https://HOST:PORT"). Its paths are `/convert`, `/default` and `/validate`.
  webhook::Address address;
  /// webhook::Registered at the start, each with a conversion stanza for this server.
  std::vector<k8s::CustomResourceDefinition> definitions;
  /// The release of this program: definitions registered by a newer release are not changed.
  Version release;
  /// The Secret with the certificates, shared by all replicas; created if absent.
  k8s::Key secret;
  /// When certificates are renewed. Without names, those of the address are used.
  webhook::CertificatePolicy certificates;
  /// An external certificate, from PEM files that are reloaded when they change: then there is no Secret, and
  /// `caBundle` must be set by the issuer.
  std::string certificate_file, key_file;
  /// Maximum interval between checks for external changes of the registrations.
  std::chrono::nanoseconds look_every = std::chrono::seconds(30);
  /// Additional handlers (`add_admission`).
  http::Router router;
};

/// Runs on its own threads from `start` on. Replicas need no leader.
class WebhookServer {
 public:
  /// Reads or issues the certificates, serves, registers the definitions and, for kinds with defaults or
  /// validators, the webhook configurations, and waits until the definitions are established. In this order,
  /// so that what is registered is already served. From then on certificates are rotated, and deleted
  /// registrations are created again. `converters` must be prepared; `metrics` must outlive the server.
  /// Errors name the address, the Secret, a definition or a configuration, with the server's message.
  static Result<std::unique_ptr<WebhookServer>> start(std::shared_ptr<kube::Client> client,
                                                      std::shared_ptr<const Converters> converters,
                                                      WebhookServerOptions options,
                                                      metrics::Registry& metrics,
                                                      const std::stop_token& stop = {});
  /// Stops immediately; see `drain`.
  ~WebhookServer();
  WebhookServer(const WebhookServer&) = delete;
  WebhookServer& operator=(const WebhookServer&) = delete;

  /// "127.0.0.1:9443": the bound address.
  std::string address() const { return server_->address(); }
  /// Why this replica is not ready, and must not lead: definitions on the server have versions that the
  /// converters do not cover, because a newer release has registered them. `/readyz` reports it too. Checked
  /// every second until ready, then every `look_every`. A replica that was ready once stays so: during the
  /// rollout of a newer release it serves the versions that it knows, and logs those that it cannot convert.
  std::optional<std::string> not_ready() const;
  /// Stops certificate rotation, accepts one more request per open connection for 2 s, finishes requests in
  /// flight, and returns when all are done or `limit` has passed after that.
  void drain(std::chrono::milliseconds limit);

 private:
  WebhookServer(std::shared_ptr<kube::Client> client, std::shared_ptr<const Converters> converters,
                WebhookServerOptions options)
      : client_(std::move(client)), converters_(std::move(converters)), options_(std::move(options)) {}

  Result<void> keep_certificates(const std::stop_token& stop);
  Result<void> serve(const http::TlsServerOptions& tls);
  /// Definitions and webhook configurations; `ca_bundle` may be empty. It is included when definitions are
  /// first registered, so that they never name an untrusted server; later it is published.
  Result<void> tell_api_server(const std::string& ca_bundle, const std::stop_token& stop);
  /// Checks that the server's definitions can be converted, and reverts changed configurations.
  Result<void> look(const std::stop_token& stop);
  void keep_looking(const std::stop_token& stop);
  void note_missing_ways(const std::string& missing);
  std::vector<webhook::CaBundleTarget> targets() const;
  Result<void> register_webhooks(const std::stop_token& stop);
  AdmissionRegistration admission(const std::string& ca_bundle) const;

  const std::shared_ptr<kube::Client> client_;
  const std::shared_ptr<const Converters> converters_;
  const WebhookServerOptions options_;
  const WebhookPaths paths_;
  std::mutex told_mutex_;
  std::string told_bundle_;  ///< for a configuration without one
  mutable std::mutex mutex_;
  bool was_ready_ = false;
  /// Versions that the converters do not cover; std::nullopt before the first check.
  std::optional<std::string> missing_ways_;
  std::unique_ptr<http::Server> server_;
  std::unique_ptr<webhook::ServerCertificates> certificates_;
  bool registered_ = false;
  std::stop_source stop_;
  std::jthread keeper_, looker_;  ///< the last members: they use the others
};

}  // namespace fairway::conversion
