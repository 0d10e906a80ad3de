// SPDX-License-Identifier: Apache-2.0

// What a host that the registry redirects to may ask for, and what it gets: nothing.
#include <gtest/gtest.h>

#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "oci/fake_registry.h"
#include "oci/registry.h"
#include "oci/signature.h"
#include "oci/signature_store.h"
#include "oci/signing.h"
#include "support/fake_service.h"
#include "support/temp_directory.h"

namespace fairway::oci {
namespace {

using fairway::testing::digest_of;
using fairway::testing::FakeRegistry;
using fairway::testing::FakeService;
using fairway::testing::release_image;
using fairway::testing::TempDirectory;
using http::Request;
using http::Response;

Limits soon() {
  return Limits::within(Clock::system(), std::chrono::seconds(60), {});
}

Response challenge(const std::string& value) {
  return testing::with_headers(Response::text(401, "who are you?"), {{"WWW-Authenticate", value}});
}

Response redirect(const std::string& to) {
  return testing::with_headers(Response::text(307, "there"), {{"Location", to}});
}

/// Host A, the registry, sends its blobs to host B; B asks for credentials and hands out tokens of its own.
class Stranger : public ::testing::Test {
 protected:
  void SetUp() override {
    image_ = release_image("4.0.0");
    registry_.tag("t", image_);
    const std::string bytes = "kept elsewhere";
    blob_ = {.media_type = "", .digest = digest_of(bytes), .size = bytes.size(), .platform = {}};
    registry_.set_fault([this](const Request& request) { return at_registry(request); });
  }

  std::optional<Response> at_registry(const Request& request) {
    const std::lock_guard lock(mutex_);
    const std::string authorization(request.header("Authorization").value_or(""));
    if (request.path == "/token") return Response::json(200, R"({"token":"good","expires_in":3600})");
    if (!authorization.empty()) sent_to_registry_.push_back(authorization);
    if (authorization != expected_) return challenge(own_challenge_);
    if (request.path.find("/blobs/") == std::string::npos) return std::nullopt;
    return redirect(blobs_at_);
  }

  Response at_stranger(const Request& request) {
    if (request.path == "/token") return Response::json(200, R"({"token":"evil","expires_in":3600})");
    return challenge(asks_);
  }

  std::string bearer(const FakeService& service) const {
    return "Bearer realm=\"" + service.url("/token") + "\",service=\"s\"";
  }

  std::unique_ptr<Registry> client(const std::string& entry) {
    RegistryOptions options;
    options.plain_http = true;
    options.retries = 0;
    options.auth_file =
        folder_.write("auth.json", R"({"auths":{")" + registry_.address() + R"(":)" + entry + "}}");
    return std::move(Registry::create(options).value());
  }

  void expect_nothing_given() {
    for (const auto& seen : stranger_.seen()) {
      EXPECT_FALSE(seen.headers.contains("Authorization")) << seen.method << " " << seen.target;
      EXPECT_FALSE(seen.target.starts_with("/token")) << seen.method << " " << seen.target;
    }
    EXPECT_FALSE(stranger_.seen().empty()) << "the redirect was not followed";
    const std::lock_guard lock(mutex_);
    for (const auto& sent : sent_to_registry_) EXPECT_EQ(sent, expected_);
  }

  Reference repository() const { return {registry_.address(), "r", "", ""}; }

  FakeService stranger_{[this](const Request& request) { return at_stranger(request); }};
  std::string asks_, blobs_at_;
  std::mutex mutex_;
  std::string own_challenge_ = "Basic realm=\"own\"", expected_ = "Basic dXNlcjpwYXNz";
  std::vector<std::string> sent_to_registry_;
  testing::TestImage image_;
  Descriptor blob_;
  TempDirectory folder_;
  FakeRegistry registry_;
};

constexpr const char* password_entry = R"({"auth":"dXNlcjpwYXNz"})";
constexpr const char* identity_entry = R"({"identitytoken":"long lived"})";

TEST_F(Stranger, GetsNeitherPasswordNorTokenByAChallengeOfItsOwn) {
  for (const std::string entry : {password_entry, identity_entry}) {
    for (const std::string& ask : {bearer(stranger_), std::string("Basic realm=\"mine\"")}) {
      SCOPED_TRACE(entry + " and " + ask);
      asks_ = ask;
      blobs_at_ = stranger_.url("/blob");
      const bool basic = entry == password_entry;
      {
        const std::lock_guard lock(mutex_);
        own_challenge_ = basic ? "Basic realm=\"own\""
                               : "Bearer realm=\"http://" + registry_.address() + "/token\",service=\"s\"";
        expected_ = basic ? "Basic dXNlcjpwYXNz" : "Bearer good";
      }
      const auto registry = client(entry);
      const auto read = registry->blob(repository(), blob_, 100, soon());
      ASSERT_FALSE(read);
      EXPECT_EQ(read.error().code, ErrorCode::unavailable) << read.error().message;
      EXPECT_NE(read.error().message.find(stranger_.address()), std::string::npos) << read.error().message;
      expect_nothing_given();
      // What was agreed with the registry stands.
      EXPECT_TRUE(registry->resolve(repository().with_tag("t"), soon()));
      expect_nothing_given();
      const std::lock_guard lock(mutex_);
      sent_to_registry_.clear();
    }
  }
}

TEST_F(Stranger, GetsNothingWhereTheRegistryNeverAsked) {
  {
    const std::lock_guard lock(mutex_);
    expected_ = "";
  }
  asks_ = bearer(stranger_);
  blobs_at_ = stranger_.url("/blob");
  const auto registry = client(password_entry);
  EXPECT_FALSE(registry->blob(repository(), blob_, 100, soon()));
  expect_nothing_given();
  EXPECT_TRUE(registry->resolve(repository().with_tag("t"), soon()));
  expect_nothing_given();
}

TEST_F(Stranger, GetsNoUserinfoThatTheRedirectNames) {
  asks_ = "Basic realm=\"mine\"";
  blobs_at_ = "http://user:pass@" + stranger_.address() + "/blob";
  EXPECT_FALSE(client(password_entry)->blob(repository(), blob_, 100, soon()));
  expect_nothing_given();
}

TEST_F(Stranger, IsNoTokenServerOfAnotherRegistry) {
  {
    const std::lock_guard lock(mutex_);
    expected_ = "Bearer evil";
  }
  // Of the same machine, but another name: addresses have no domain in common.
  const std::string by_name = "localhost" + stranger_.address().substr(stranger_.address().rfind(':'));
  {
    const std::lock_guard lock(mutex_);
    own_challenge_ = "Bearer realm=\"http://" + by_name + "/token\",service=\"s\"";
  }
  for (const std::string entry : {password_entry, identity_entry}) {
    const auto resolved = client(entry)->resolve(repository().with_tag("t"), soon());
    ASSERT_FALSE(resolved);
    EXPECT_EQ(resolved.error().code, ErrorCode::forbidden) << resolved.error().message;
    EXPECT_NE(resolved.error().message.find("--registry-token-host " + by_name), std::string::npos)
        << resolved.error().message;
  }
  EXPECT_TRUE(stranger_.seen().empty());
}

TEST_F(Stranger, GetsNothingFromASignatureStore) {
  asks_ = bearer(stranger_);
  const FakeService store(
      [&](const Request&) { return redirect("http://leak:me@" + stranger_.address() + "/signature"); });
  std::string url = store.url("/store");
  url.insert(url.find("://") + 3, "robot:s3cret@");
  const auto opened = SignatureStore::create(url, {.retries = 0});
  ASSERT_TRUE(opened) << opened.error().message;
  const auto fetched = (*opened)->fetch(image_.digest, 1, soon());
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().message.find("s3cret"), std::string::npos) << fetched.error().message;
  expect_nothing_given();
  EXPECT_EQ(store.seen().at(0).headers.at("Authorization"), "Basic cm9ib3Q6czNjcmV0");
}

TEST_F(Stranger, IsNeverShownThePasswordOfASignatureStore) {
  const FakeService store([&](const Request&) { return Response::text(404, "none"); });
  std::string url = store.url("/store");
  url.insert(url.find("://") + 3, "robot:s3cret@");
  if (!testing::Gpg::installed()) GTEST_SKIP() << "gnupg is not installed";
  testing::Gpg gpg(folder_ / "home");
  ASSERT_TRUE(gpg.make_key("releases"));
  std::filesystem::create_directories(folder_ / "keys");
  ASSERT_TRUE(gpg.export_key("releases", folder_ / "keys/releases.asc"));
  const auto keys = KeyRing::load((folder_ / "keys").string(), Clock::system());
  ASSERT_TRUE(keys) << keys.error().message;
  const auto opened = SignatureStore::create(url, {.retries = 0});
  const auto verified = (*opened)->verify(**keys, image_.digest, soon());
  ASSERT_FALSE(verified);
  EXPECT_EQ(verified.error().message.find("s3cret"), std::string::npos) << verified.error().message;
}

}  // namespace
}  // namespace fairway::oci
