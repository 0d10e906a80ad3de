// SPDX-License-Identifier: Apache-2.0

// Certificates that we make ourselves.
#include "http/certificate.h"

#include <gtest/gtest.h>

namespace fairway::http {
namespace {

using namespace std::chrono_literals;

const WallTime now = parse_time("2026-03-01T12:00:00Z").value();
const Validity a_day{now - 1h, now + 24h};

KeyedCertificate authority(const Validity& validity = a_day) {
  return make_authority("Fairway CA", validity).value();
}

TEST(Certificate, OfAServerIsTrustedByWhomItsAuthorityIs) {
  const KeyedCertificate ca = authority();
  const auto server = issue_certificate(ca, "webhook", {"webhook.ns.svc", "127.0.0.1", "::1"}, a_day);
  ASSERT_TRUE(server) << server.error().message;
  for (const char* name : {"webhook.ns.svc", "127.0.0.1", "::1"}) {
    const auto trusted = check_trust(server->certificate, ca.certificate, name, now);
    EXPECT_TRUE(trusted) << name << ": " << trusted.error().message;
  }
  const auto refusal = [&](const std::string& authorities, const std::string& name, WallTime at) {
    const auto trusted = check_trust(server->certificate, authorities, name, at);
    return trusted ? "none" : trusted.error().message;
  };
  EXPECT_NE(refusal(ca.certificate, "other.ns.svc", now).find("hostname mismatch"), std::string::npos);
  EXPECT_NE(refusal(ca.certificate, "webhook.ns.svc", now + 25h).find("expired"), std::string::npos);
  EXPECT_NE(refusal(ca.certificate, "webhook.ns.svc", now - 2h).find("not yet valid"), std::string::npos);
  EXPECT_NE(refusal(authority().certificate, "webhook.ns.svc", now).find("unable to get local issuer"),
            std::string::npos);
  // In a bundle of several the right one is found, wherever it stands.
  EXPECT_EQ(refusal(authority().certificate + ca.certificate, "webhook.ns.svc", now), "none");
  EXPECT_EQ(refusal(ca.certificate + authority().certificate, "webhook.ns.svc", now), "none");
}

// OpenSSL builds chains by name: an authority and its server of one name are no chain to OpenSSL.
TEST(Certificate, HasANameAndKeyIdentifiersOfItsOwn) {
  const KeyedCertificate ca = authority(), other = authority();
  const auto server = issue_certificate(ca, "Fairway CA", {"a"}, a_day).value();
  const auto ca_facts = read_certificates(ca.certificate, "ca").value().front();
  const auto other_facts = read_certificates(other.certificate, "other").value().front();
  const auto facts = read_certificates(server.certificate, "server").value().front();
  EXPECT_TRUE(ca_facts.subject.starts_with("CN=Fairway CA ")) << ca_facts.subject;
  EXPECT_EQ(ca_facts.issuer, ca_facts.subject);
  EXPECT_NE(other_facts.subject, ca_facts.subject);
  EXPECT_EQ(facts.issuer, ca_facts.subject);
  EXPECT_NE(facts.subject, ca_facts.subject);
  EXPECT_TRUE(ca_facts.is_authority);
  EXPECT_FALSE(facts.is_authority);
  EXPECT_EQ(ca_facts.subject_key_id.size(), 40U);
  EXPECT_EQ(facts.authority_key_id, ca_facts.subject_key_id);
  EXPECT_EQ(facts.subject_key_id.size(), 40U);
  EXPECT_NE(facts.subject_key_id, facts.authority_key_id);
  EXPECT_NE(facts.serial, ca_facts.serial);
  EXPECT_EQ(facts.names, std::vector<std::string>{"a"});
  EXPECT_EQ(format_time(facts.validity.from), "2026-03-01T11:00:00Z");
  EXPECT_EQ(format_time(facts.validity.until), "2026-03-02T12:00:00Z");
}

TEST(Certificate, OfAClientNamesItsUserAndGroups) {
  const KeyedCertificate ca = authority();
  const auto client = issue_client_certificate(ca, "admin", {"system:masters", "others"}, a_day);
  ASSERT_TRUE(client) << client.error().message;
  EXPECT_TRUE(check_key(*client, "the client"));
  const auto facts = read_certificates(client->certificate, "client").value().front();
  EXPECT_EQ(facts.subject, "O=others,O=system:masters,CN=admin");
  EXPECT_FALSE(facts.is_authority);
  // A client's certificate serves no server.
  EXPECT_FALSE(check_trust(client->certificate, ca.certificate, "admin", now));
  EXPECT_FALSE(issue_client_certificate(ca, "", {}, a_day));
  EXPECT_FALSE(issue_client_certificate(ca, "admin", {""}, a_day));
  EXPECT_FALSE(issue_client_certificate(ca, "admin", {std::string(65, 'x')}, a_day));
}

TEST(Certificate, IsRefusedWhereItIsNone) {
  const KeyedCertificate ca = authority();
  const auto error = [](const auto& result) { return result ? "none" : result.error().message; };
  EXPECT_NE(error(read_certificates("x", "the file")).find("the file: there is no \"-----BEGIN"),
            std::string::npos);
  std::string broken = ca.certificate;
  broken.replace(100, 4, "@@@@");
  EXPECT_NE(error(read_certificates(broken, "the file")), "none");
  EXPECT_NE(error(check_key({ca.certificate, authority().key}, "the pair")).find("does not belong"),
            std::string::npos);
  EXPECT_NE(error(check_key({ca.certificate, "x"}, "the pair")).find("no PEM private key"),
            std::string::npos);
  EXPECT_EQ(error(check_key(ca, "the pair")), "none");
  EXPECT_NE(error(issue_certificate(ca, "s", {}, a_day)).find("for some name"), std::string::npos);
  EXPECT_NE(error(issue_certificate(ca, "s", {"a,DNS:b"}, a_day)).find("no DNS name"), std::string::npos);
  EXPECT_NE(error(issue_certificate({ca.certificate, authority().key}, "s", {"a"}, a_day)), "none");
}

}  // namespace
}  // namespace fairway::http
