// SPDX-License-Identifier: Apache-2.0

// A conversion webhook of ours that a real API server calls: certificates, CRDs and converters as a user
// would have them.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/metrics.h"
#include "conformance/kube/cluster.h"
#include "conversion/converters.h"
#include "http/server.h"
#include "webhook/crd_registration.h"
#include "webhook/server_certificates.h"

namespace fairway::conformance {

/// The kind that is converted: the Widget of tests/conversion/widgets.h under another name, in v1alpha1,
/// v1beta1 and v1, which is stored. Fields that an older version does not have are kept.
struct Gizmo {
  static constexpr const char* group = "gizmos.example.com";
  static constexpr const char* crd = "gizmos.gizmos.example.com";
  static k8s::GroupVersionResource resource(const std::string& version) { return {group, version, "gizmos"}; }
  static std::shared_ptr<const conversion::Converters> converters();
  /// The definition's YAML, under a plural, group and kind of one's own.
  static std::string yaml(const std::string& plural, const std::string& group, const std::string& kind);
};

/// Removes CRDs and waits until they are gone, while their webhook still answers: the API server removes the
/// objects first, for which it may have to convert them, and would report in every later test that it cannot.
void remove_definitions(kube::Client& client, const std::vector<k8s::CustomResourceDefinition>& definitions);

class WebhookHost {
 public:
  struct Options {
    webhook::CertificatePolicy policy;
    /// YAML of the CRDs that it registers.
    std::string definitions = Gizmo::yaml("gizmos", Gizmo::group, "Gizmo");
    /// The namespace of the Secret.
    std::string namespace_name;
    /// The protocol versions that the API server may speak; empty: both.
    std::vector<std::string> review_versions = {};
    /// Answers in place of the converters: gets the body of a review, and returns that of a reply.
    std::function<std::string(std::string_view body)> answer = {};
    /// "127.0.0.1:PORT", where API servers find it and other replicas, which leave the CRDs there when they
    /// end; empty: they find it at its own address, and the CRDs go with it.
    std::string service = {};
  };
  /// Registers the CRDs and waits until they are served; throws if that fails.
  WebhookHost(std::shared_ptr<kube::Client> client, Options options);
  WebhookHost(const Cluster& cluster, Options options) : WebhookHost(cluster.client(), std::move(options)) {}
  ~WebhookHost();
  WebhookHost(const WebhookHost&) = delete;
  WebhookHost& operator=(const WebhookHost&) = delete;

  /// Number of times that another certificate was served, and number of CAs.
  int served() const { return served_; }
  int authorities() const { return authorities_; }
  std::uint64_t connections() const { return server_->counts().connections_total; }
  std::uint64_t requests() const { return server_->counts().requests; }
  std::uint16_t port() const { return server_->port(); }
  /// Drains the server, as `http::Server::drain` does.
  void drain(std::chrono::milliseconds limit, std::chrono::milliseconds quiet) {
    server_->drain(limit, quiet);
  }
  /// The errors of the rounds of the certificates.
  std::vector<std::string> problems() const;
  std::string metrics() const { return metrics_.text(); }

 private:
  Result<void> serve(const http::KeyedCertificate& certificate);
  Result<void> register_crds(const std::string& bundle);
  void keep_certificates(const std::stop_token& stop);

  Options options_;
  std::shared_ptr<kube::Client> client_;
  std::vector<k8s::CustomResourceDefinition> definitions_;
  metrics::Registry metrics_;
  std::unique_ptr<http::Server> server_;
  std::unique_ptr<webhook::ServerCertificates> certificates_;
  std::atomic<int> served_ = 0, authorities_ = 0;
  bool registered_ = false;
  std::string authority_;
  mutable std::mutex mutex_;
  std::vector<std::string> problems_;
  std::jthread keeper_;
};

}  // namespace fairway::conformance
