// SPDX-License-Identifier: Apache-2.0

// Envoys of other machines: both sides show certificates.
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>

#include "http/certificate.h"
#include "support/eventually.h"
#include "support/temp_directory.h"
#include "xds/fake_envoy.h"
#include "xds/server.h"

namespace fairway::gateway {
namespace {

class XdsTls : public ::testing::Test {
 protected:
  void SetUp() override {
    auto api = xds::EnvoyApi::embedded();
    if (!api) GTEST_SKIP() << api.error().message;
    api_ = *std::move(api);
    const auto own = http::issue_certificate(authority_, "xds", {"127.0.0.1"}, always_).value();
    folder_.write("tls.crt", own.certificate);
    folder_.write("tls.key", own.key);
    folder_.write("ca.crt", authority_.certificate);
  }
  xds::ServerTls tls() const {
    return {.certificate_file = (folder_ / "tls.crt").string(),
            .key_file = (folder_ / "tls.key").string(),
            .authority_file = (folder_ / "ca.crt").string()};
  }
  /// Returns whether the server accepts a client that shows this certificate.
  bool lets_in(const xds::DiscoveryServer& server, const std::optional<http::KeyedCertificate>& shown) const {
    grpc::SslCredentialsOptions options{.pem_root_certs = authority_.certificate};
    if (shown) {
      options.pem_cert_chain = shown->certificate;
      options.pem_private_key = shown->key;
    }
    const auto channel = grpc::CreateChannel(server.address(), grpc::SslCredentials(options));
    const auto limit = std::chrono::system_clock::now() + testing::generous(std::chrono::seconds(10));
    for (;;) {
      const grpc_connectivity_state state = channel->GetState(true);
      if (state == GRPC_CHANNEL_READY) return true;
      if (state == GRPC_CHANNEL_TRANSIENT_FAILURE || !channel->WaitForStateChange(state, limit)) return false;
    }
  }

  const http::Validity always_{.from = std::chrono::system_clock::now() - std::chrono::hours(1),
                               .until = std::chrono::system_clock::now() + std::chrono::hours(1)};
  const http::KeyedCertificate authority_ = http::make_authority("envoys", always_).value();
  const testing::TempDirectory folder_;
  std::shared_ptr<const xds::EnvoyApi> api_;
};

TEST_F(XdsTls, LetsInWhoHasACertificateOfItsAuthority) {
  const auto server = xds::DiscoveryServer::start(api_, {.listen = "127.0.0.1:0", .tls = tls()});
  ASSERT_TRUE(server) << server.error().message;
  const auto envoy = http::issue_client_certificate(authority_, "envoy", {}, always_).value();
  EXPECT_TRUE(lets_in(**server, envoy));
  EXPECT_FALSE(lets_in(**server, std::nullopt));
  const auto other = http::make_authority("others", always_).value();
  const auto stranger = http::issue_client_certificate(other, "envoy", {}, always_).value();
  EXPECT_FALSE(lets_in(**server, stranger));
}

TEST_F(XdsTls, SpeaksToNobodyInTheClear) {
  const auto server = xds::DiscoveryServer::start(api_, {.listen = "127.0.0.1:0", .tls = tls()});
  ASSERT_TRUE(server) << server.error().message;
  (*server)->set({{{xds::Type::secret, "b/cert"}, json::Object{{"name", "b/cert"}}}});
  xds::FakeEnvoy stranger(api_, (*server)->address());
  stranger.send({{"node", json::Object{{"id", "stranger"}}}, {"type_url", xds::url_of(xds::Type::secret)}});
  EXPECT_EQ(stranger.end().first, 14) << "UNAVAILABLE: no handshake";
  EXPECT_EQ((*server)->connected(), 0U);
}

TEST_F(XdsTls, AStrangersRefusalIsNotHeard) {
  const auto server = xds::DiscoveryServer::start(
      api_, {.socket = folder_ / "xds" / "s", .listen = "127.0.0.1:0", .tls = tls()});
  ASSERT_TRUE(server) << server.error().message;
  const xds::ResourceName name{xds::Type::cluster, "a"};
  (*server)->set({{name, json::Object{{"name", "a"}}}});
  xds::FakeEnvoy own(api_, "unix:" + (folder_ / "xds" / "s").string());
  own.send({{"node", json::Object{{"id", "own"}}}, {"type_url", xds::url_of(xds::Type::cluster)}});
  const auto given = own.receive();
  ASSERT_TRUE(given);
  own.send({{"type_url", given->at("type_url")}, {"response_nonce", given->at("nonce")}});
  ASSERT_TRUE(testing::eventually(
      [&] { return (*server)->acknowledgement(name).state == xds::Acknowledgement::State::acknowledged; }));
  // All that a refusal needs but a certificate; and with that of another authority.
  xds::FakeEnvoy plain(api_, (*server)->address());
  plain.send({{"node", json::Object{{"id", "own"}}},
              {"type_url", given->at("type_url")},
              {"response_nonce", given->at("nonce")},
              {"error_detail", json::Object{{"code", 13}, {"message", "words of a stranger"}}}});
  EXPECT_NE(plain.end().first, 0);
  EXPECT_FALSE(lets_in(**server, std::nullopt));
  EXPECT_EQ((*server)->acknowledgement(name).state, xds::Acknowledgement::State::acknowledged);
  EXPECT_EQ((*server)->connected(), 1U);
}

TEST_F(XdsTls, NeedsItsFiles) {
  xds::ServerTls files = tls();
  files.key_file += ".none";
  const auto server = xds::DiscoveryServer::start(api_, {.listen = "127.0.0.1:0", .tls = files});
  ASSERT_FALSE(server);
  EXPECT_NE(server.error().message.find("tls.key.none"), std::string::npos) << server.error().message;
}

}  // namespace
}  // namespace fairway::gateway
