// SPDX-License-Identifier: Apache-2.0

// A webhook's own certificate authority, step by step.
#include "webhook/certificate_set.h"

#include <gtest/gtest.h>

namespace fairway::webhook {
namespace {

using namespace std::chrono_literals;

class Certificates : public ::testing::Test {
 protected:
  Certificates() {
    policy.names = {"webhook.ns.svc"};
    set = CertificateSet::make(policy, now).value();
  }
  /// Lets time pass and performs due rotations; clients have the bundle that was published at the last step.
  bool step(std::chrono::nanoseconds time) {
    now += std::chrono::duration_cast<WallTime::duration>(time);
    const auto changed = set.advance(policy, now, trusted_since);
    EXPECT_TRUE(changed) << changed.error().message;
    if (published != set.bundle()) trusted_since = now;
    published = set.bundle();
    return changed.value_or(false);
  }
  bool is_trusted(const std::string& bundle) const {
    return http::check_trust(set.serving().certificate, bundle, "webhook.ns.svc", now).has_value();
  }
  /// A Secret that has been to the server and back.
  static k8s::Secret secret_of(const CertificateSet& set) {
    auto secret = k8s::make<k8s::Secret>("certificates", "ns");
    set.write(secret);
    return secret;
  }

  WallTime now = parse_time("2026-03-01T12:00:00Z").value();
  CertificatePolicy policy;
  CertificateSet set;
  std::string published;
  std::optional<WallTime> trusted_since;
};

TEST_F(Certificates, AreTrustedFromTheBeginning) {
  EXPECT_TRUE(is_trusted(set.bundle()));
  EXPECT_FALSE(step(1min));
  EXPECT_EQ(set.due(policy, trusted_since), parse_time("2026-03-07T12:00:00Z").value());
}

TEST_F(Certificates, OfTheServerAreMadeAnewBeforeTheyEnd) {
  const auto first = set.serving();
  const std::string bundle = set.bundle();
  EXPECT_FALSE(step(policy.serving_rotation - 1s));
  EXPECT_EQ(set.serving(), first);
  EXPECT_TRUE(step(1s));
  EXPECT_NE(set.serving(), first);
  EXPECT_EQ(set.bundle(), bundle);
  EXPECT_TRUE(is_trusted(bundle));
}

TEST_F(Certificates, AreMadeAnewForOtherNames) {
  EXPECT_FALSE(step(1s));
  policy.names.emplace_back("other.ns.svc");
  EXPECT_TRUE(step(1s));
  EXPECT_TRUE(http::check_trust(set.serving().certificate, set.bundle(), "other.ns.svc", now));
  EXPECT_FALSE(step(1s));
}

// What is served is trusted by who has the bundle of now, and by who has the one of a moment ago.
TEST_F(Certificates, OfTheAuthorityOverlap) {
  policy.serving_rotation = 1h;
  policy.serving_validity = 2h;
  policy.ca_rotation = 4h;
  policy.ca_validity = 12h;
  set = CertificateSet::make(policy, now).value();
  const std::string first_ca = set.current().pair.certificate;
  step(0s);
  EXPECT_TRUE(step(1h));
  EXPECT_TRUE(step(1h));
  EXPECT_TRUE(step(1h));
  // A new CA enters the bundle, and signs nothing yet.
  EXPECT_TRUE(step(1h));
  ASSERT_TRUE(set.next());
  const std::string second_ca = set.next()->pair.certificate;
  const std::string both = std::min(first_ca, second_ca) + std::max(first_ca, second_ca);
  EXPECT_EQ(set.bundle(), both);
  step(1s);  // the server's certificate is due too
  EXPECT_TRUE(is_trusted(first_ca));
  EXPECT_FALSE(is_trusted(second_ca));
  EXPECT_FALSE(step(10min - 2s));
  // It signs, and the old one stays for those whose server is still the old one.
  EXPECT_TRUE(step(1s));
  EXPECT_EQ(set.current().pair.certificate, second_ca);
  EXPECT_FALSE(set.next());
  EXPECT_EQ(set.bundle(), both);
  EXPECT_TRUE(is_trusted(second_ca));
  EXPECT_FALSE(is_trusted(first_ca));
  EXPECT_FALSE(step(10min - 1s));
  // It leaves.
  EXPECT_TRUE(step(1s));
  EXPECT_EQ(set.bundle(), second_ca);
}

TEST_F(Certificates, OfANewAuthorityWaitUntilItIsTrusted) {
  step(0s);
  now += std::chrono::duration_cast<WallTime::duration>(policy.ca_rotation);
  ASSERT_TRUE(set.advance(policy, now, trusted_since).value());
  ASSERT_TRUE(set.next());
  const std::string first_ca = set.current().pair.certificate;
  // The API server was not there, and the bundle is still the old one.
  now += 24h;
  ASSERT_TRUE(set.advance(policy, now, std::nullopt));
  EXPECT_EQ(set.current().pair.certificate, first_ca);
  // Now it is there, and some may not know it yet.
  trusted_since = now;
  ASSERT_TRUE(set.advance(policy, now + 9min, trusted_since));
  EXPECT_EQ(set.current().pair.certificate, first_ca);
  EXPECT_EQ(set.due(policy, trusted_since), now + 10min);
  ASSERT_TRUE(set.advance(policy, now + 10min, trusted_since).value());
  EXPECT_NE(set.current().pair.certificate, first_ca);
}

TEST_F(Certificates, ThatHaveEndedAreReplacedAtOnce) {
  step(0s);
  const std::string bundle = set.bundle();
  EXPECT_TRUE(step(policy.ca_validity));
  EXPECT_NE(set.bundle(), bundle);
  EXPECT_TRUE(is_trusted(set.bundle()));
}

TEST_F(Certificates, SurviveTheSecret) {
  policy.serving_rotation = 1h;
  policy.serving_validity = 2h;
  policy.ca_rotation = 4h;
  policy.ca_validity = 12h;
  for (int i = 0; i < 40; ++i) {
    step(10min);
    const k8s::Secret secret = secret_of(set);
    const auto read = CertificateSet::read(secret);
    ASSERT_TRUE(read && *read) << read.error().message;
    EXPECT_EQ((*read)->bundle(), set.bundle());
    EXPECT_EQ((*read)->serving(), set.serving());
    EXPECT_EQ((*read)->due(policy, trusted_since), set.due(policy, trusted_since));
    EXPECT_EQ(secret_of(**read).to_text(), secret.to_text());
    EXPECT_EQ(secret.data("ca-cert.pem"), set.bundle());
    EXPECT_EQ(secret.data("server-cert.pem"), set.serving().certificate);
    EXPECT_EQ(secret.data("server-key.pem"), set.serving().key);
    // Written over an older one, nothing of that stays.
    k8s::Secret older = secret_of(set);
    older.set_data("next-ca-cert.pem", "x");
    older.set_data("theirs", "y");
    set.write(older);
    EXPECT_EQ(older.data("next-ca-cert.pem"), secret.data("next-ca-cert.pem"));
    EXPECT_EQ(older.data("theirs"), "y");
  }
}

TEST_F(Certificates, OfABrokenSecretAreRefusedByName) {
  EXPECT_FALSE(CertificateSet::read(k8s::make<k8s::Secret>("empty", "ns")).value());
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"server-key.pem", "server-cert.pem: there is no PEM private key"},
      {"server-cert.pem", "server-cert.pem: there is no \"-----BEGIN CERTIFICATE-----\""},
      {"ca-key.pem", "ca-key.pem: there is no PEM private key"},
      {"current-ca-cert.pem", "current-ca-cert.pem: there is no"},
      {"rotation.json", "rotation.json: "}};
  for (const auto& [key, message] : cases) {
    k8s::Secret broken = secret_of(set);
    broken.set_data(key, "x");
    const auto read = CertificateSet::read(broken);
    ASSERT_FALSE(read) << key;
    EXPECT_NE(read.error().message.find(message), std::string::npos) << read.error().message;
    k8s::Secret missing = secret_of(set);
    missing.remove_data(key);
    const auto without = CertificateSet::read(missing);
    ASSERT_FALSE(without) << key;
    EXPECT_EQ(without.error().message, key + " is missing beside the other keys");
  }
  k8s::Secret other = secret_of(set);
  other.set_data("ca-key.pem", CertificateSet::make(policy, now)->current().pair.key);
  EXPECT_NE(CertificateSet::read(other).error().message.find("does not belong"), std::string::npos);
  k8s::Secret leaf = secret_of(set);
  leaf.set_data("current-ca-cert.pem", set.serving().certificate);
  EXPECT_NE(CertificateSet::read(leaf).error().message.find("no certificate authority's"), std::string::npos);
}

TEST_F(Certificates, HavePoliciesThatLeaveNoGap) {
  EXPECT_TRUE(policy.check());
  const auto refusal = [&](const auto& change) {
    CertificatePolicy changed = policy;
    change(changed);
    const auto checked = changed.check();
    return checked ? "none" : checked.error().message;
  };
  EXPECT_NE(refusal([](auto& p) { p.names.clear(); }).find("no name"), std::string::npos);
  EXPECT_NE(refusal([](auto& p) { p.serving_validity = p.serving_rotation; }).find("before it is replaced"),
            std::string::npos);
  EXPECT_NE(refusal([](auto& p) { p.ca_validity = p.ca_rotation; }).find("before what it signed"),
            std::string::npos);
  EXPECT_NE(refusal([](auto& p) { p.ca_overlap = p.ca_rotation / 2; }).find("a CA would"), std::string::npos);
  EXPECT_NE(refusal([](auto& p) { p.ca_rotation = 0s; }).find("longer than nothing"), std::string::npos);
  EXPECT_FALSE(CertificateSet::make({.names = {"no name"}}, now));
}

}  // namespace
}  // namespace fairway::webhook
