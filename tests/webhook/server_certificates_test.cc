// SPDX-License-Identifier: Apache-2.0

// Webhook servers that share their certificates through a Secret.
#include "webhook/server_certificates.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <semaphore>
#include <set>
#include <thread>

#include "base/base64.h"
#include "kube/object_shelf.h"

namespace fairway::webhook {
namespace {

using namespace std::chrono_literals;

const std::string secret_path = "/api/v1/namespaces/ns/secrets/certificates";
const std::string definition_path =
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com";

/// One replica, and the certificates that it has served.
struct Replica {
  std::unique_ptr<ServerCertificates> certificates;
  http::KeyedCertificate served;
  int times_served = 0;
  std::counting_semaphore<> servings{0};
};

class SharedCertificates : public ::testing::Test {
 protected:
  SharedCertificates() {
    policy.names = {"webhook.ns.svc"};
    policy.serving_rotation = 1h;
    policy.serving_validity = 2h;
    policy.ca_rotation = 4h;
    policy.ca_validity = 12h;
    shelf.put(definition_path,
              k8s::Dynamic::parse(
                  R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
                  R"("metadata":{"name":"widgets.example.com"},"spec":{"conversion":{"strategy":"Webhook",)"
                  R"("webhook":{"clientConfig":{"url":"https://webhook.ns.svc/convert"}}}}})")
                  .value());
  }
  std::unique_ptr<Replica> replica() {
    auto one = std::make_unique<Replica>();
    ServerCertificatesOptions options;
    options.secret = {"ns", "certificates"};
    options.policy = policy;
    options.targets = {{.name = "widgets.example.com"}};
    options.serve = [replica = one.get()](const http::KeyedCertificate& certificate) -> Result<void> {
      replica->served = certificate;
      ++replica->times_served;
      replica->servings.release();
      return {};
    };
    one->certificates = ServerCertificates::create(shelf.client(clock), options).value();
    return one;
  }
  /// The bundle that API servers verify our server with.
  std::string trusted() const {
    return base64_decode(shelf.get(definition_path).text("spec.conversion.webhook.clientConfig.caBundle"))
        .value_or("");
  }
  bool is_trusted(const Replica& replica) const {
    return http::check_trust(replica.served.certificate, trusted(), "webhook.ns.svc", clock.now())
        .has_value();
  }
  static std::string error_of(Replica& replica) {
    const auto round = replica.certificates->round();
    return round ? "none" : round.error().message;
  }

  FakeClock clock{parse_time("2026-03-01T12:00:00Z").value()};
  kube::testing::ObjectShelf shelf;
  CertificatePolicy policy;
};

TEST_F(SharedCertificates, AreMadeServedAndTrusted) {
  const auto one = replica();
  ASSERT_EQ(error_of(*one), "none");
  EXPECT_TRUE(is_trusted(*one));
  EXPECT_EQ(shelf.get(secret_path).text("type"), "Opaque");
  const int writes = shelf.writes();
  // Nothing is due: nothing is written, and nothing is served anew.
  clock.advance(1min);
  ASSERT_EQ(error_of(*one), "none");
  EXPECT_EQ(shelf.writes(), writes);
  EXPECT_EQ(one->times_served, 1);
  // The next round is when somebody else may have written, or something is due.
  const auto next = one->certificates->round();
  ASSERT_TRUE(next);
  EXPECT_EQ(*next - clock.steady(), 30s);
}

TEST_F(SharedCertificates, AreTheSameForAllReplicas) {
  const auto one = replica(), two = replica();
  ASSERT_EQ(error_of(*one), "none");
  ASSERT_EQ(error_of(*two), "none");
  EXPECT_EQ(one->served, two->served);
  clock.advance(1h);
  ASSERT_EQ(error_of(*two), "none");
  EXPECT_NE(one->served, two->served);
  EXPECT_TRUE(is_trusted(*one) && is_trusted(*two));
  ASSERT_EQ(error_of(*one), "none");
  EXPECT_EQ(one->served, two->served);
}

// That is the repair that errors name: it begins a rotation, and breaks nothing.
// However somebody takes the certificates away, what replicas serve is trusted at every moment.
TEST_F(SharedCertificates, AreReplacedInOrderWhenTheSecretIsDeletedOrEmptied) {
  const auto delete_it = [&] { shelf.remove(secret_path); };
  const auto empty_it = [&] {
    k8s::Dynamic secret = shelf.get(secret_path);
    secret.erase("data");
    shelf.put(secret_path, secret);
  };
  const auto one = replica(), two = replica();
  for (const std::function<void()>& take_away : {std::function<void()>(delete_it), {empty_it}}) {
    ASSERT_EQ(error_of(*one), "none");
    ASSERT_EQ(error_of(*two), "none");
    const std::string authority = one->certificates->set()->current().pair.certificate;
    clock.advance(1min);
    take_away();
    for (int i = 0; i < 60; ++i) {
      ASSERT_EQ(error_of(i % 2 == 0 ? *one : *two), "none");
      ASSERT_TRUE(is_trusted(*one) && is_trusted(*two)) << i;
      clock.advance(30s);
    }
    EXPECT_NE(one->certificates->set()->current().pair.certificate, authority);
    EXPECT_EQ(trusted().find(authority), std::string::npos);
  }
}

// At every moment of hours of rotation, whatever replica a call meets is trusted.
TEST_F(SharedCertificates, AreTrustedThroughAllRotations) {
  const auto one = replica(), two = replica();
  std::set<std::string> authorities;
  for (int i = 0; i < 9 * 60; ++i) {
    Replica& turn = *(i % 3 == 0 ? one : two);
    ASSERT_EQ(error_of(turn), "none");
    if (i >= 3) {
      ASSERT_TRUE(is_trusted(*one) && is_trusted(*two)) << i;
    }
    authorities.insert(turn.certificates->set()->current().pair.certificate);
    clock.advance(1min);
  }
  EXPECT_GE(authorities.size(), 3U);
  EXPECT_GE(one->times_served, 8);
}

TEST_F(SharedCertificates, AreNotFoughtOver) {
  const auto one = replica(), two = replica();
  // Both find no Secret, and the other one writes first.
  std::atomic<bool> interfered = false;
  shelf.before_write([&](const std::string& path) {
    if (path == secret_path && !interfered.exchange(true)) {
      EXPECT_EQ(error_of(*two), "none");
    }
    return 0;
  });
  // Who has lost waits a little before he looks again.
  const auto lose = [&] {
    std::string error;
    {
      const std::jthread loser([&] { error = error_of(*one); });
      clock.wait_for_waiters(1);
      clock.advance(1s);
    }
    return error;
  };
  ASSERT_EQ(lose(), "none");
  EXPECT_EQ(one->served, two->served);
  // Both find the certificate too old.
  clock.advance(1h);
  interfered = false;
  ASSERT_EQ(lose(), "none");
  EXPECT_EQ(one->served, two->served);
  EXPECT_TRUE(is_trusted(*one));
}

TEST_F(SharedCertificates, OfANewAuthorityWaitForTheApiServer) {
  const auto one = replica();
  ASSERT_EQ(error_of(*one), "none");
  const std::string first = one->certificates->set()->current().pair.certificate;
  clock.advance(4h);
  shelf.before_write([&](const std::string& path) { return path == definition_path ? 500 : 0; });
  EXPECT_NE(error_of(*one).find("widgets.example.com"), std::string::npos);
  ASSERT_TRUE(one->certificates->set()->next());
  clock.advance(1h);
  EXPECT_NE(error_of(*one), "none");
  EXPECT_EQ(one->certificates->set()->current().pair.certificate, first);
  EXPECT_TRUE(is_trusted(*one));
  shelf.before_write({});
  ASSERT_EQ(error_of(*one), "none");
  clock.advance(9min);
  ASSERT_EQ(error_of(*one), "none");
  EXPECT_EQ(one->certificates->set()->current().pair.certificate, first);
  clock.advance(1min);
  ASSERT_EQ(error_of(*one), "none");
  EXPECT_NE(one->certificates->set()->current().pair.certificate, first);
  EXPECT_TRUE(is_trusted(*one));
}

TEST_F(SharedCertificates, SayWhatIsWrong) {
  const auto one = replica();
  shelf.put(definition_path,
            k8s::Dynamic::parse(R"({"apiVersion":"v1","kind":"X","metadata":{},"spec":{}})").value());
  EXPECT_NE(error_of(*one).find(
                "caBundle of CustomResourceDefinition widgets.example.com: it is not converted by a webhook"),
            std::string::npos);
  // What is served does not depend on it.
  EXPECT_EQ(one->times_served, 1);
  auto broken = shelf.get(secret_path);
  broken.set("data", json::Object{{"server-key.pem", "eA=="}});
  shelf.put(secret_path, broken);
  const std::string error = error_of(*one);
  EXPECT_NE(error.find("Secret ns/certificates cannot be used; to have certificates made anew, delete it: "
                       "server-cert.pem is missing"),
            std::string::npos)
      << error;
  policy.names.clear();
  EXPECT_FALSE(ServerCertificates::create(shelf.client(clock), {.secret = {"ns", "c"}, .policy = policy}));
}

TEST_F(SharedCertificates, ComeAndGoByThemselves) {
  const auto one = replica();
  {
    const std::jthread runner([&](const std::stop_token& stop) { one->certificates->run(stop); });
    EXPECT_TRUE(one->servings.try_acquire_for(30s));
    clock.wait_for_waiters(1);
    clock.advance(1h);
    EXPECT_TRUE(one->servings.try_acquire_for(30s));
  }
  EXPECT_EQ(one->times_served, 2);
  EXPECT_TRUE(is_trusted(*one));
}

}  // namespace
}  // namespace fairway::webhook
