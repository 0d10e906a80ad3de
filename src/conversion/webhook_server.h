// The webhooks of a program's kinds, whole: an HTTPS server with certificates of its own, the CRDs, and what
// API servers have to know of both.
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
  /// How API servers reach it: the Service in front of it, or, for a server outside of the cluster, its URL
  /// ("https://HOST:PORT"). Its paths are `/convert`, `/default` and `/validate`.
  WebhookAddress address;
  /// Registered before anything else is done, each with a conversion stanza of this server.
  std::vector<k8s::CustomResourceDefinition> definitions;
  /// Of this program: definitions that a newer release has registered are left alone.
  Version release;
  /// The Secret with the certificates, which all replicas share; it is made where it is missing.
  k8s::Key secret;
  /// When certificates are made anew. Without names, those of the address.
  kube::CertificatePolicy certificates;
  /// A certificate of somebody else, from PEM files that are read again when they change: then there is no
  /// Secret, and whoever signs it has to put `caBundle` where API servers look for it.
  std::string certificate_file, key_file;
  /// How often at least to look whether others have changed what is registered.
  std::chrono::nanoseconds look_every = std::chrono::seconds(30);
  /// Handlers beside the webhooks (`add_admission`).
  http::Router router;
};

/// Runs on threads of its own from `start` on. Replicas need no leader.
class WebhookServer {
 public:
  /// Reads or makes the certificates, serves, registers the definitions and, for kinds with defaults or
  /// validators, the webhook configurations, and waits until the definitions are served. In this order: what
  /// API servers are told is true already. From then on certificates are rotated, and what somebody removes
  /// is registered again. `converters` are prepared; `metrics` must outlive the server. Errors name the
  /// object: the address, the Secret, a definition, a configuration, and what the server says about it.
  static Result<std::unique_ptr<WebhookServer>> start(std::shared_ptr<kube::Client> client,
                                                      std::shared_ptr<const Converters> converters,
                                                      WebhookServerOptions options,
                                                      metrics::Registry& metrics,
                                                      const std::stop_token& stop = {});
  /// Stops at once; see `drain`.
  ~WebhookServer();
  WebhookServer(const WebhookServer&) = delete;
  WebhookServer& operator=(const WebhookServer&) = delete;

  /// "127.0.0.1:9443": the address that was bound.
  std::string address() const { return server_->address(); }
  /// Why nobody should be sent here yet, nor be led by this process: definitions on the server have versions
  /// that the converters do not reach, because a newer release has registered them. `/readyz` says it too. It
  /// is looked at every second until it is ready, and later every `look_every`. A replica that was ready once
  /// stays so: it serves what it can while a newer release takes over, and the log says what it cannot.
  std::optional<std::string> not_ready() const;
  /// Looks after certificates no more, lets connections that stand bring one more request for 2 s, finishes
  /// what is under way, and returns when all is done or `limit` has passed after that.
  void drain(std::chrono::milliseconds limit);

 private:
  WebhookServer(std::shared_ptr<kube::Client> client, std::shared_ptr<const Converters> converters,
                WebhookServerOptions options)
      : client_(std::move(client)), converters_(std::move(converters)), options_(std::move(options)) {}

  Result<void> keep_certificates(const std::stop_token& stop);
  Result<void> serve(const http::TlsServerOptions& tls);
  /// Definitions and webhook configurations; `ca_bundle` may be empty. Of definitions it is a part when they
  /// are first registered, so that they never name a server that nobody trusts; later it is published.
  Result<void> tell_api_server(const std::string& ca_bundle, const std::stop_token& stop);
  /// Whether the server's definitions can be converted; and somebody may have changed the configurations.
  Result<void> look(const std::stop_token& stop);
  void keep_looking(const std::stop_token& stop);
  void note_missing_ways(const std::string& missing);
  std::vector<kube::CaBundleTarget> targets() const;
  Result<void> register_webhooks(const std::stop_token& stop);
  AdmissionRegistration admission(const std::string& ca_bundle) const;

  const std::shared_ptr<kube::Client> client_;
  const std::shared_ptr<const Converters> converters_;
  const WebhookServerOptions options_;
  const WebhookPaths paths_;
  std::mutex told_mutex_;
  std::string told_bundle_;  ///< that a configuration gets which has none
  mutable std::mutex mutex_;
  bool was_ready_ = false;
  /// What the converters do not reach; nothing before the first look.
  std::optional<std::string> missing_ways_;
  std::unique_ptr<http::Server> server_;
  std::unique_ptr<kube::ServerCertificates> certificates_;
  bool registered_ = false;
  std::stop_source stop_;
  std::jthread keeper_, looker_;  ///< the last members: they use the others
};

}  // namespace fairway::conversion
