// SPDX-License-Identifier: Apache-2.0

// Certificates that change under load.
#include <chrono>
#include <cstdio>
#include <set>
#include <thread>

#include "conformance/kube/conversion_load.h"
#include "conformance/kube/on_cluster.h"
#include "conformance/kube/webhook_host.h"
#include "support/generous.h"

namespace fairway::conformance {
namespace {

using namespace std::chrono_literals;

using Rotation = OnCluster;

// The serving certificate every second, the CA every 30 s with a short overlap, 200 conversions a second:
// nothing fails. A change of a CRD, which a new CA is, has the API server set up the kind anew, and it says
// 429 meanwhile: those are counted apart.
TEST_F(Rotation, UnderLoadFailsNoConversion) {
  webhook::CertificatePolicy policy;
  policy.serving_rotation = 1s;
  policy.serving_validity = 60s;
  policy.ca_rotation = 30s;
  policy.ca_validity = 300s;
  policy.ca_overlap = 10s;
  const WebhookHost host(cluster, {.policy = policy, .namespace_name = namespace_name});
  ConversionLoad load(cluster, namespace_name);
  // Until a second CA has signed some certificates, and the one before it is trusted no more.
  const auto last = std::chrono::steady_clock::now() + testing::generous(75s);
  while ((host.served() < 50 || host.authorities() < 2) && std::chrono::steady_clock::now() < last)
    ASSERT_TRUE(load.wait_for(ConversionLoad::per_second / 10)) << "nothing is converted any more";
  load.end();
  const auto failures = load.failures();
  std::printf(
      "%d conversions in %.0f s (%.0f/s), %zu failed, %d answered 429; %d certificates of %d CAs, %llu "
      "connections\n",
      load.done(), load.took().count(), load.done() / load.took().count(), failures.size(), load.busy(),
      host.served(), host.authorities(), static_cast<unsigned long long>(host.connections()));
  EXPECT_TRUE(failures.empty()) << failures.front().message;
  EXPECT_EQ(host.problems(), std::vector<std::string>{});
  // Far below what an idle machine does: not how fast, but that it goes on.
  EXPECT_GE(load.done(), load.took().count() * ConversionLoad::per_second / 10);
  EXPECT_GE(host.served(), 50);
  EXPECT_GE(host.authorities(), 2);
  // Each new certificate was met: connections of the one before end.
  EXPECT_GE(host.connections(), static_cast<std::uint64_t>(host.served()));
}

TEST_F(Rotation, IsSharedByReplicas) {
  webhook::CertificatePolicy policy;
  policy.names = {"127.0.0.1"};
  policy.serving_rotation = 1s;
  policy.serving_validity = 60s;
  policy.ca_rotation = 6s;
  policy.ca_validity = 60s;
  policy.ca_overlap = 2s;
  struct Replica {
    std::unique_ptr<webhook::ServerCertificates> certificates;
    http::KeyedCertificate served;
  };
  std::vector<Replica> replicas(3);
  for (Replica& replica : replicas) {
    webhook::ServerCertificatesOptions options;
    options.secret = {namespace_name, "shared"};
    options.policy = policy;
    options.serve = [&replica](const http::KeyedCertificate& certificate) -> Result<void> {
      replica.served = certificate;
      return {};
    };
    replica.certificates = webhook::ServerCertificates::create(cluster.client(), options).value();
  }
  std::set<std::string> authorities;
  const auto begun = std::chrono::steady_clock::now();
  const auto enough = [&] {
    const auto passed = std::chrono::steady_clock::now() - begun;
    return passed > 120s || (passed > 12s && authorities.size() >= 2);
  };
  while (!enough()) {
    // All at once, as often as they can: the Secret decides.
    std::vector<std::jthread> rounds;
    std::vector<Result<SteadyTime>> results(replicas.size());
    for (std::size_t i = 0; i < replicas.size(); ++i)
      rounds.emplace_back([&, i] { results[i] = replicas[i].certificates->round(); });
    rounds.clear();
    const auto secret = client->get({"", "v1", "secrets"}, key("shared"));
    ASSERT_OK(secret);
    const k8s::Secret shared(secret->json());
    for (std::size_t i = 0; i < replicas.size(); ++i) {
      ASSERT_OK(results[i]);
      EXPECT_OK(http::check_trust(replicas[i].served.certificate, *shared.data("ca-cert.pem"), "127.0.0.1",
                                  std::chrono::system_clock::now()));
    }
    authorities.insert(replicas.front().certificates->set()->current().pair.certificate);
    std::this_thread::sleep_for(100ms);
  }
  EXPECT_GE(authorities.size(), 2U);
}

// Of webhook configurations it is each webhook's own field.
TEST_F(Rotation, PublishesTheBundleInWebhookConfigurations) {
  const std::string webhook =
      R"(","sideEffects":"None","admissionReviewVersions":["v1"],"failurePolicy":"Ignore","rules":[],)"
      R"("clientConfig":{"url":"https://127.0.0.1:1/"}})";
  for (const std::string kind : {"Validating", "Mutating"}) {
    const std::string resource =
        kind == "Validating" ? "validatingwebhookconfigurations" : "mutatingwebhookconfigurations";
    const auto made = client->create(
        {"admissionregistration.k8s.io", "v1", resource},
        object_of(R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":")" + kind +
                  R"(WebhookConfiguration","metadata":{"name":"ours"},"webhooks":[{"name":"a.example.com)" +
                  webhook + R"(,{"name":"b.example.com)" + webhook + "]}"));
    ASSERT_OK(made);
    webhook::CaBundleTarget target{
        .kind = kind == "Validating" ? webhook::CaBundleTarget::Kind::validating_webhook_configuration
                                     : webhook::CaBundleTarget::Kind::mutating_webhook_configuration,
        .name = "ours"};
    const auto ca = http::make_authority(
        "ours", {std::chrono::system_clock::now(), std::chrono::system_clock::now() + 1h});
    const auto put = webhook::publish_ca_bundle(*client, target, ca->certificate, "certificates");
    ASSERT_OK(put);
    EXPECT_TRUE(*put);
    EXPECT_FALSE(*webhook::publish_ca_bundle(*client, target, ca->certificate, "certificates"));
    const auto now = client->get({"admissionregistration.k8s.io", "v1", resource}, {"", "ours"});
    ASSERT_OK(now);
    const auto webhooks = now->items("webhooks");
    ASSERT_EQ(webhooks.size(), 2U);
    for (const auto& one : webhooks) {
      EXPECT_NE(one.text("clientConfig.caBundle"), "");
      EXPECT_EQ(one.text("clientConfig.url"), "https://127.0.0.1:1/");
    }
    target.webhooks = {"c.example.com"};
    EXPECT_FALSE(webhook::publish_ca_bundle(*client, target, ca->certificate, "certificates"));
    target.name = "not-there";
    EXPECT_TRUE(
        webhook::publish_ca_bundle(*client, target, ca->certificate, "certificates").error().is_not_found());
  }
}

}  // namespace
}  // namespace fairway::conformance
