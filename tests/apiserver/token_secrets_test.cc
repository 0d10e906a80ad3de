// SPDX-License-Identifier: Apache-2.0

#include <string>

#include "apiserver/raw_client.h"
#include "base/base64.h"
#include "support/generous.h"

namespace fairway::apiserver::testing {
namespace {

const k8s::GroupVersionResource secrets{"", "v1", "secrets"}, accounts{"", "v1", "serviceaccounts"};

k8s::Dynamic token_secret(const std::string& name, const std::string& account) {
  return object_of(
      R"({"apiVersion":"v1","kind":"Secret","type":"kubernetes.io/service-account-token","metadata":{"name":")" +
      name + R"(","namespace":"default","annotations":{"kubernetes.io/service-account.name":")" + account +
      R"("}}})");
}

class TokenSecretsOnServer : public OnServer {
 protected:
  /// Reads a Secret until `done` is true of it; an absent one has no name.
  template <class Done>
  k8s::Dynamic wait_for(const std::string& name, const Done& done) const {
    const SteadyTime until = Clock::system().steady() + fairway::testing::generous(std::chrono::seconds(6));
    for (;;) {
      auto found = client->get(secrets, key(name));
      k8s::Dynamic secret = found ? *std::move(found) : k8s::Dynamic();
      if (done(secret) || Clock::system().steady() > until) return secret;
      std::this_thread::yield();
    }
  }
  static bool is_gone(const k8s::Dynamic& secret) { return secret.name().empty(); }
  static bool is_filled(const k8s::Dynamic& secret) { return secret.map("data").contains("token"); }
  static std::string data(const k8s::Dynamic& secret, std::string_view name) {
    return base64_decode(secret.map("data").find(name).value_or("")).value_or("");
  }
  int status_with(const std::string& token) const {
    return RawClient(*server)
        .send("GET", "/api/v1/namespaces/default/secrets", {{"Authorization", "Bearer " + token}})
        .status;
  }
};

TEST_F(TokenSecretsOnServer, AreFilledAndLetTheirAccountIn) {
  const auto account = client->create(
      accounts,
      object_of(
          R"({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"robot","namespace":"default"}})"));
  ASSERT_OK(account);
  ASSERT_OK(client->create(secrets, token_secret("one", "robot")));
  const k8s::Dynamic secret = wait_for("one", &TokenSecretsOnServer::is_filled);
  EXPECT_EQ(data(secret, "namespace"), "default");
  EXPECT_EQ(data(secret, "ca.crt"), server->authority());
  EXPECT_EQ(secret.annotation("kubernetes.io/service-account.uid"), account->uid());
  const std::string token = data(secret, "token");
  // Known, and without rights.
  EXPECT_EQ(status_with(token), 403);
  EXPECT_EQ(status_with(token + "x"), 401);
  // It is worth as much as its Secret.
  ASSERT_OK(client->remove(secrets, key("one")));
  EXPECT_EQ(status_with(token), 401);
}

TEST_F(TokenSecretsOnServer, GoWithTheirAccount) {
  ASSERT_OK(client->create(secrets, token_secret("early", "nobody")));
  EXPECT_TRUE(is_gone(wait_for("early", &TokenSecretsOnServer::is_gone)));
  ASSERT_OK(client->create(
      accounts,
      object_of(
          R"({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"robot","namespace":"default"}})")));
  ASSERT_OK(client->create(secrets, token_secret("one", "robot")));
  const std::string token = data(wait_for("one", &TokenSecretsOnServer::is_filled), "token");
  ASSERT_OK(client->remove(accounts, key("robot")));
  EXPECT_EQ(status_with(token), 401);
  EXPECT_TRUE(is_gone(wait_for("one", &TokenSecretsOnServer::is_gone)));
}

}  // namespace
}  // namespace fairway::apiserver::testing
