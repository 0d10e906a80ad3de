// SPDX-License-Identifier: Apache-2.0

// The certificates that the controller makes for Envoys of this machine.
#include "gateway/xds_certificates.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>

#include "base/file.h"
#include "support/temp_directory.h"
#include "xds/fake_envoy.h"

namespace fairway::gateway {
namespace {

using std::chrono::hours;

class XdsCertificatesTest : public ::testing::Test {
 protected:
  void make() {
    auto made = XdsCertificates::create(folder_, clock_);
    ASSERT_TRUE(made) << made.error().message;
    certificates_ = *std::move(made);
  }
  std::string text(const char* name) const { return read_file(folder_ / name).value(); }
  http::CertificateFacts facts(const char* name) const {
    return http::read_certificates(text(name), name).value().front();
  }
  void later(std::chrono::nanoseconds time) {
    clock_.advance(time);
    const auto next = certificates_->renew();
    ASSERT_TRUE(next) << next.error().message;
    EXPECT_GT(*next, clock_.now());
  }
  /// Expects that each side trusts the other's certificate.
  void expect_trust() const {
    EXPECT_TRUE(http::check_trust(text("server.pem"), text("ca.pem"), "localhost", clock_.now()));
    EXPECT_EQ(facts("envoy.pem").authority_key_id, facts("ca.pem").subject_key_id);
    EXPECT_GT(facts("envoy.pem").validity.until, clock_.now());
  }

  const testing::TempDirectory temporary_;
  const std::filesystem::path folder_ = temporary_ / "data" / "xds";
  FakeClock clock_;
  std::unique_ptr<XdsCertificates> certificates_;
};

TEST_F(XdsCertificatesTest, AreFilesOfThisUserAlone) {
  const mode_t before = ::umask(0);
  make();
  ::umask(before);
  struct stat seen{};
  ASSERT_EQ(::lstat(folder_.c_str(), &seen), 0);
  EXPECT_EQ(seen.st_mode & ALLPERMS, 0700U);
  for (const char* name : {"server.pem", "envoy.pem", "ca.pem", "authority.pem"}) {
    ASSERT_EQ(::lstat((folder_ / name).c_str(), &seen), 0) << name;
    EXPECT_EQ(seen.st_mode & ALLPERMS, 0600U) << name;
  }
  EXPECT_EQ(text("ca.pem").find("PRIVATE KEY"), std::string::npos);
  expect_trust();
}

TEST_F(XdsCertificatesTest, StayOverRestartsAndAreRenewedLongBeforeTheyEnd) {
  make();
  const std::string server = text("server.pem"), envoy = text("envoy.pem"), ca = text("ca.pem");
  make();
  EXPECT_EQ(text("server.pem"), server);
  EXPECT_EQ(text("envoy.pem"), envoy);
  later(hours(29 * 24));
  EXPECT_EQ(text("server.pem"), server);
  later(hours(2 * 24));
  EXPECT_NE(text("server.pem"), server);
  EXPECT_NE(text("envoy.pem"), envoy);
  EXPECT_EQ(text("ca.pem"), ca);
  expect_trust();
}

TEST_F(XdsCertificatesTest, AnAuthorityIsReplacedWhileTheOneBeforeIsStillTrusted) {
  make();
  const std::string ca = text("ca.pem");
  clock_.advance(hours(9 * 365 * 24 - 24));
  make();
  EXPECT_EQ(text("ca.pem"), ca);
  const std::string last = text("envoy.pem");
  later(hours(48));
  const auto trusted = http::read_certificates(text("ca.pem"), "ca.pem").value();
  ASSERT_EQ(trusted.size(), 2U);
  EXPECT_EQ(trusted[1].subject_key_id, http::read_certificates(ca, "ca").value().front().subject_key_id);
  EXPECT_NE(text("envoy.pem"), last);
  expect_trust();
}

TEST_F(XdsCertificatesTest, WhatIsDamagedIsMadeAnew) {
  make();
  for (const char* name : {"server.pem", "envoy.pem", "ca.pem", "authority.pem"}) {
    ASSERT_TRUE(write_file_atomically(folder_ / name, "damaged"));
    make();
    expect_trust();
  }
}

TEST_F(XdsCertificatesTest, AreForLoopbackAlone) {
  for (const char* listen : {"127.0.0.1:0", "127.9.9.9:18000", "[::1]:18000", "localhost:18000"})
    EXPECT_TRUE(XdsCertificates::are_for(listen)) << listen;
  for (const char* listen :
       {":0", "0.0.0.0:18000", "[::]:18000", "198.51.100.1:18000", "example.com:1", "", "::1"})
    EXPECT_FALSE(XdsCertificates::are_for(listen)) << listen;
}

TEST(XdsCertificates, LetAnEnvoyInThatHasThem) {
  auto api = xds::EnvoyApi::embedded();
  if (!api) GTEST_SKIP() << api.error().message;
  const testing::TempDirectory folder;
  const auto certificates = XdsCertificates::create(folder / "xds", Clock::system());
  ASSERT_TRUE(certificates) << certificates.error().message;
  const auto server =
      xds::DiscoveryServer::start(*api, {.listen = "127.0.0.1:0", .tls = (*certificates)->tls()});
  ASSERT_TRUE(server) << server.error().message;
  (*server)->set({{{xds::Type::cluster, "a"}, json::Object{{"name", "a"}}}});
  xds::FakeEnvoy envoy(*api, (*server)->address(),
                       "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources",
                       folder / "xds");
  envoy.send({{"node", json::Object{{"id", "one"}}}, {"type_url", xds::url_of(xds::Type::cluster)}});
  EXPECT_TRUE(envoy.receive());
}

}  // namespace
}  // namespace fairway::gateway
