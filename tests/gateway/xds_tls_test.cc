// Envoys of other machines: both sides show certificates.
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>

#include "http/certificate.h"
#include "support/eventually.h"
#include "support/temp_directory.h"
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
  /// Whether the server speaks to who shows this.
  bool lets_in(const xds::Server& server, const std::optional<http::KeyedCertificate>& shown) const {
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
  const auto server = xds::Server::start(api_, {.listen = "127.0.0.1:0", .tls = tls()});
  ASSERT_TRUE(server) << server.error().message;
  const auto envoy = http::issue_client_certificate(authority_, "envoy", {}, always_).value();
  EXPECT_TRUE(lets_in(**server, envoy));
  EXPECT_FALSE(lets_in(**server, std::nullopt));
  const auto other = http::make_authority("others", always_).value();
  const auto stranger = http::issue_client_certificate(other, "envoy", {}, always_).value();
  EXPECT_FALSE(lets_in(**server, stranger));
}

TEST_F(XdsTls, IsNotForAnEnvoyOfThisMachine) {
  const auto server =
      xds::Server::start(api_, {.listen = "127.0.0.1:0", .tls = tls(), .listen_local = "127.0.0.1:0"});
  ASSERT_TRUE(server) << server.error().message;
  EXPECT_NE((*server)->local_address(), (*server)->address());
  const auto channel = grpc::CreateChannel((*server)->local_address(), grpc::InsecureChannelCredentials());
  EXPECT_TRUE(channel->WaitForConnected(std::chrono::system_clock::now() +
                                        testing::generous(std::chrono::seconds(10))));
}

TEST_F(XdsTls, IsAskedForBeyondThisMachine) {
  for (const char* listen : {"0.0.0.0:0", ":0", "[::]:0", "198.51.100.1:18000"}) {
    const auto server = xds::Server::start(api_, {.listen = listen});
    ASSERT_FALSE(server) << listen;
    EXPECT_EQ(server.error().code, ErrorCode::invalid) << server.error().message;
  }
  for (const char* listen : {"127.0.0.1:0", "[::1]:0", "localhost:0"}) {
    const auto server = xds::Server::start(api_, {.listen = listen});
    EXPECT_TRUE(server || server.error().code == ErrorCode::unavailable) << listen;
  }
}

TEST_F(XdsTls, NeedsItsFiles) {
  xds::ServerTls files = tls();
  files.key_file += ".none";
  const auto server = xds::Server::start(api_, {.listen = "127.0.0.1:0", .tls = files});
  ASSERT_FALSE(server);
  EXPECT_NE(server.error().message.find("tls.key.none"), std::string::npos) << server.error().message;
}

}  // namespace
}  // namespace fairway::gateway
