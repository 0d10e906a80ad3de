// SPDX-License-Identifier: Apache-2.0

// Certificates for Envoys that the controller of 0.1.0 left on disk (tests/state/0.1.0).
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <map>

#include "base/file.h"
#include "gateway/xds_certificates.h"
#include "support/temp_directory.h"

namespace fairway::gateway {
namespace {

constexpr std::array files{"server.pem", "envoy.pem", "ca.pem", "authority.pem"};

class OldXdsCertificates : public ::testing::Test {
 protected:
  OldXdsCertificates() {
    std::filesystem::copy(FAIRWAY_SOURCE_DIR "/tests/state/0.1.0/gateway", folder_);
    const auto made = http::read_certificates(text("authority.pem"), "authority.pem").value().front();
    clock_.advance(made.validity.from + std::chrono::hours(24) - clock_.now());
  }
  std::string text(const char* name) const { return read_file(folder_ / name).value(); }
  std::map<std::string, std::string> texts() const {
    std::map<std::string, std::string> all;
    for (const char* name : files) all[name] = text(name);
    return all;
  }
  void make() {
    auto made = XdsCertificates::create(folder_, clock_);
    ASSERT_TRUE(made) << made.error().message;
    certificates_ = *std::move(made);
  }

  const testing::TempDirectory temporary_;
  const std::filesystem::path folder_ = temporary_ / "xds";
  FakeClock clock_;
  std::unique_ptr<XdsCertificates> certificates_;
};

TEST_F(OldXdsCertificates, GoOnToBeUsed) {
  const auto before = texts();
  make();
  EXPECT_EQ(texts(), before);
}

TEST_F(OldXdsCertificates, AreRenewedByTheSameAuthority) {
  const auto before = texts();
  make();
  clock_.advance(XdsCertificates::rotation + std::chrono::hours(1));
  ASSERT_TRUE(certificates_->renew());
  const auto after = texts();
  EXPECT_NE(after.at("server.pem"), before.at("server.pem"));
  EXPECT_NE(after.at("envoy.pem"), before.at("envoy.pem"));
  EXPECT_EQ(after.at("authority.pem"), before.at("authority.pem"));
  EXPECT_EQ(after.at("ca.pem"), before.at("ca.pem"));
}

/// A file that a crash left half written.
TEST_F(OldXdsCertificates, AreMadeAnewWhereAFileIsTorn) {
  const auto before = texts();
  temporary_.write("xds/server.pem", before.at("server.pem").substr(0, 300));
  make();
  EXPECT_NE(text("server.pem"), before.at("server.pem"));
  EXPECT_TRUE(http::check_trust(text("server.pem"), text("ca.pem"), "localhost", clock_.now()));
  EXPECT_EQ(text("authority.pem"), before.at("authority.pem"));
}

}  // namespace
}  // namespace fairway::gateway
