// SPDX-License-Identifier: Apache-2.0

// Who gets in: client certificates and tokens, over TLS.
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/internal/access/service_account_token.h"
#include "apiserver/raw_client.h"
#include "base/base64.h"
#include "base/digest.h"
#include "http/signing_key.h"
#include "support/temp_directory.h"

namespace fairway::apiserver::testing {
namespace {

using namespace std::chrono_literals;

const std::string accounts = "/api/v1/namespaces/default/serviceaccounts";
const std::string self_reviews = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
const std::string token_reviews = "/apis/authentication.k8s.io/v1/tokenreviews";
const std::string self_review = R"({"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"})";
const std::string own_audience = "https://kubernetes.default.svc.cluster.local";

http::Headers bearing(const std::string& token) {
  return {{"Authorization", "Bearer " + token}};
}

/// Returns URL-safe base64 without padding.
std::string encoded(std::string_view text) {
  std::string made = base64_encode(text);
  std::ranges::replace(made, '+', '-');
  std::ranges::replace(made, '/', '_');
  made.resize(made.find_last_not_of('=') + 1);
  return made;
}

class Authentication : public ::testing::Test {
 protected:
  k8s::Dynamic create(const std::string& path, const std::string& body) const {
    const http::Reply made = admin.send("POST", path, {}, body);
    EXPECT_EQ(made.status, 201) << made.body;
    return body_of(made);
  }
  void remove(const std::string& path) const {
    EXPECT_EQ(admin.send("DELETE", path + "?gracePeriodSeconds=0").status, 200) << path;
  }
  /// Returns a ServiceAccount's token; `spec` is JSON of a TokenRequestSpec.
  std::string token_of(const std::string& account, const std::string& spec = "{}") const {
    const k8s::Dynamic made =
        create(accounts + "/" + account + "/token",
               R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":)" + spec + "}");
    return std::string(made.text("status.token"));
  }
  k8s::Dynamic make_account(const std::string& name) const {
    return create(accounts, R"({"metadata":{"name":")" + name + R"("}})");
  }
  int status_with(const std::string& token) const {
    return nobody.send("POST", self_reviews, bearing(token), self_review).status;
  }
  k8s::Dynamic review(const std::string& token, const std::string& audiences = "") const {
    return create(token_reviews, R"({"spec":{"token":")" + token + "\"" +
                                     (audiences.empty() ? "" : ",\"audiences\":" + audiences) + "}}");
  }

  FakeClock clock{WallTime(1'800'000'000s)};
  std::unique_ptr<EmbeddedServer> server = start_server({.clock = &clock, .namespace_defaults = false});
  RawClient admin{*server, &server->admin()}, nobody{*server};
};

TEST_F(Authentication, LetsTheBearerOfATokenInAsItsServiceAccount) {
  const k8s::Dynamic account = make_account("robot");
  const http::Reply reply = nobody.send("POST", self_reviews, bearing(token_of("robot")), self_review);
  ASSERT_EQ(reply.status, 201) << reply.body;
  const k8s::Dynamic who = body_of(reply);
  EXPECT_EQ(who.text("status.userInfo.username"), "system:serviceaccount:default:robot");
  EXPECT_EQ(who.text("status.userInfo.uid"), account.uid());
  EXPECT_EQ(who.texts("status.userInfo.groups"),
            (std::vector<std::string_view>{"system:serviceaccounts", "system:serviceaccounts:default",
                                           "system:authenticated"}));
  const http::Reply list =
      nobody.send("GET", "/api/v1/namespaces/default/configmaps", bearing(token_of("robot")));
  EXPECT_EQ(list.status, 403);
  EXPECT_EQ(body_of(list).text("message"),
            R"(configmaps is forbidden: User "system:serviceaccount:default:robot" cannot list resource )"
            R"("configmaps" in API group "" in the namespace "default")");
}

TEST_F(Authentication, LetsNobodyInWithBadCredentials) {
  const k8s::Dynamic account = make_account("robot");
  make_account("deleted");
  make_account("replaced");
  create("/api/v1/namespaces/default/secrets", R"({"metadata":{"name":"s"}})");
  create("/api/v1/namespaces/default/secrets", R"({"metadata":{"name":"t"}})");
  create(
      "/api/v1/namespaces/default/pods",
      R"({"metadata":{"name":"p"},"spec":{"serviceAccountName":"robot","containers":[{"name":"c","image":"i"}]}})");
  create("/api/v1/nodes", R"({"metadata":{"name":"n"}})");
  const std::string good = token_of("robot");
  const std::string of_deleted = token_of("deleted"), of_replaced = token_of("replaced");
  const auto bound_to = [&](const std::string& kind, const std::string& name) {
    return token_of("robot", R"({"boundObjectRef":{"apiVersion":"v1","kind":")" + kind + R"(","name":")" +
                                 name + R"("}})");
  };
  const std::string of_secret = bound_to("Secret", "s"), of_other_secret = bound_to("Secret", "t"),
                    of_pod = bound_to("Pod", "p"), of_node = bound_to("Node", "n");
  for (const std::string& token :
       {good, of_deleted, of_replaced, of_secret, of_other_secret, of_pod, of_node}) {
    ASSERT_EQ(status_with(token), 201) << token;
  }
  remove(accounts + "/deleted");
  remove(accounts + "/replaced");
  make_account("replaced");
  remove("/api/v1/namespaces/default/secrets/s");
  remove("/api/v1/namespaces/default/secrets/t");
  create("/api/v1/namespaces/default/secrets", R"({"metadata":{"name":"t"}})");
  remove("/api/v1/namespaces/default/pods/p");
  remove("/api/v1/nodes/n");

  const std::size_t first = good.find('.'), last = good.rfind('.');
  const std::string claims = good.substr(first + 1, last - first - 1), signature = good.substr(last + 1),
                    header = good.substr(0, first);
  const auto other_signer = access::TokenSigner::of(http::make_signing_key().value(), own_audience).value();
  const std::string of_other_key = other_signer
                                       .sign({.namespace_name = "default",
                                              .service_account = "robot",
                                              .uid = std::string(account.uid()),
                                              .audiences = {own_audience},
                                              .issued = clock.now(),
                                              .not_before = clock.now(),
                                              .expires = clock.now() + 1h})
                                       .value();
  const std::string of_masters =
      encoded(R"({"iss":"https://kubernetes.default.svc.cluster.local","sub":"kubernetes-admin"})");
  const std::vector<std::pair<std::string, std::string>> bad{
      {"none", ""},
      {"an empty one", "Bearer"},
      {"blanks", "Bearer   "},
      {"no token", "Bearer x"},
      {"another scheme", "Basic " + base64_encode("kubernetes-admin:")},
      {"another scheme with a token", "Token " + good},
      {"two tokens", "Bearer x " + good},
      {"a list", "Bearer " + good + ", Bearer " + good},
      {"another audience", "Bearer " + token_of("robot", R"({"audiences":["vault"]})")},
      {"another key", "Bearer " + of_other_key},
      {"another key under this one's name", "Bearer " + header + of_other_key.substr(of_other_key.find('.'))},
      {"no algorithm", "Bearer " + encoded(R"({"alg":"none"})") + "." + claims + "."},
      {"no algorithm, and a signature",
       "Bearer " + encoded(R"({"alg":"none"})") + "." + claims + "." + signature},
      {"a secret instead of a key",
       "Bearer " + encoded(R"({"alg":"HS256","typ":"JWT"})") + "." + claims + "." + signature},
      {"no signature", "Bearer " + header + "." + claims + "."},
      {"the signature of other claims", "Bearer " + header + "." + of_masters + "." + signature},
      {"half of it", "Bearer " + good.substr(0, last)},
      {"a byte more", "Bearer " + good + "A"},
      {"a deleted ServiceAccount", "Bearer " + of_deleted},
      {"a ServiceAccount that is another one by now", "Bearer " + of_replaced},
      {"a deleted Secret", "Bearer " + of_secret},
      {"a Secret that is another one by now", "Bearer " + of_other_secret},
      {"a deleted Pod", "Bearer " + of_pod},
      {"a deleted Node", "Bearer " + of_node},
  };
  const auto expect_out = [&](const std::string& what, const http::Headers& headers) {
    SCOPED_TRACE(what);
    for (const auto& [method, path] :
         std::vector<std::pair<std::string, std::string>>{{"GET", "/api"},
                                                          {"GET", "/apis"},
                                                          {"GET", "/api/v1/namespaces"},
                                                          {"GET", "/api/v1/namespaces?watch=1"},
                                                          {"GET", "/api/v1/namespaces/default/secrets/t"},
                                                          {"DELETE", accounts + "/robot"},
                                                          {"POST", accounts + "/robot/token"},
                                                          {"POST", self_reviews},
                                                          {"POST", token_reviews},
                                                          {"GET", "/openid/v1/jwks"},
                                                          {"GET", "/.well-known/openid-configuration"},
                                                          {"GET", "/metrics"},
                                                          {"GET", "/nowhere"}}) {
      const http::Reply reply = nobody.send(method, path, headers, method == "POST" ? "{}" : "");
      EXPECT_EQ(reply.status, 401) << method << " " << path << " " << reply.body;
      EXPECT_EQ(reply.body, R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
                            R"("message":"Unauthorized","reason":"Unauthorized","code":401})");
    }
  };
  for (const auto& [what, header_value] : bad) {
    http::Headers headers;
    if (!header_value.empty()) headers.add("Authorization", header_value);
    expect_out(what, headers);
    // Nobody becomes somebody by asking to be.
    headers.add("Impersonate-User", "kubernetes-admin");
    headers.add("Impersonate-Group", "system:masters");
    expect_out(what + ", as an administrator", headers);
  }
  ASSERT_EQ(status_with(good), 201);
  clock.advance(1h - 1s);
  EXPECT_EQ(status_with(good), 201);
  clock.advance(1s);
  expect_out("an expired one", bearing(good));
}

TEST_F(Authentication, AnswersHealthAndVersionToAnybody) {
  for (const char* path : {"/healthz", "/livez", "/readyz", "/version"}) {
    EXPECT_EQ(nobody.send("GET", path).status, 200) << path;
  }
}

TEST_F(Authentication, TakesTheCertificateBeforeTheToken) {
  make_account("robot");
  const auto certificate = server->client_certificate("bob", {}).value();
  const http::Reply reply =
      RawClient(*server, &certificate).send("POST", self_reviews, bearing(token_of("robot")), self_review);
  EXPECT_EQ(body_of(reply).text("status.userInfo.username"), "bob") << reply.body;
}

TEST_F(Authentication, SaysWhichCertificateAUserCameWith) {
  const auto certificate = server->client_certificate("bob", {}).value();
  const std::string& pem = certificate.certificate;
  const std::size_t begin = pem.find('\n'), end = pem.find("-----END");
  const json::Value wanted =
      json::Array{"X509SHA256=" + sha256_hex(base64_decode(pem.substr(begin, end - begin)).value())};
  const RawClient bob(*server, &certificate);
  const std::string key = "authentication.kubernetes.io/credential-id";
  const k8s::Dynamic who = body_of(bob.send("POST", self_reviews, {}, self_review));
  EXPECT_EQ(who.find("status.userInfo.extra")->at(key), wanted);
  // Who acts as somebody else lends them nothing of it.
  const k8s::Dynamic other =
      body_of(admin.send("POST", self_reviews, {{"Impersonate-User", "jane"}}, self_review));
  EXPECT_EQ(other.text("status.userInfo.username"), "jane");
  EXPECT_FALSE(other.has("status.userInfo.extra"));
}

TEST_F(Authentication, ReviewsTokens) {
  const k8s::Dynamic account = make_account("robot");
  create("/api/v1/nodes", R"({"metadata":{"name":"n"}})");
  const k8s::Dynamic pod = create("/api/v1/namespaces/default/pods",
                                  R"({"metadata":{"name":"p"},"spec":{"serviceAccountName":"robot",)"
                                  R"("nodeName":"n","containers":[{"name":"c","image":"i"}]}})");
  const std::string token = token_of(
      "robot", R"({"audiences":["a","b"],"boundObjectRef":{"apiVersion":"v1","kind":"Pod","name":"p"}})");
  const k8s::Dynamic known = review(token, R"(["b","c"])");
  EXPECT_TRUE(known.flag("status.authenticated"));
  EXPECT_EQ(known.text("status.user.username"), "system:serviceaccount:default:robot");
  EXPECT_EQ(known.text("status.user.uid"), account.uid());
  EXPECT_EQ(known.texts("status.audiences"), std::vector<std::string_view>{"b"});
  const json::Value& extra = *known.find("status.user.extra");
  EXPECT_EQ(extra.at("authentication.kubernetes.io/pod-name").at(0).as_string(), "p");
  EXPECT_EQ(extra.at("authentication.kubernetes.io/pod-uid").at(0).as_string(), pod.uid());
  EXPECT_EQ(extra.at("authentication.kubernetes.io/node-name").at(0).as_string(), "n");
  for (const k8s::Dynamic& unknown : {review(token), review(token, R"(["c"])"), review("x")}) {
    EXPECT_FALSE(unknown.flag("status.authenticated"));
    EXPECT_FALSE(unknown.has("status.user.username"));
    EXPECT_FALSE(unknown.text("status.error").empty());
  }
}

TEST_F(Authentication, PublishesTheKeysToServiceAccounts) {
  make_account("robot");
  const std::string token = token_of("robot");
  const http::Reply keys = nobody.send("GET", "/openid/v1/jwks", bearing(token));
  ASSERT_EQ(keys.status, 200) << keys.body;
  EXPECT_EQ(keys.headers.find("Content-Type"), "application/jwk-set+json");
  const json::Value key = parsed(keys.body).at("keys").at(0);
  const json::Value header = parsed(*base64_decode([&] {
    std::string text = token.substr(0, token.find('.'));
    text.append((4 - text.size() % 4) % 4, '=');
    return text;
  }()));
  EXPECT_EQ(key.at("kid"), header.at("kid"));
  EXPECT_EQ(key.at("alg"), header.at("alg"));
  const http::Reply metadata = nobody.send("GET", "/.well-known/openid-configuration", bearing(token));
  ASSERT_EQ(metadata.status, 200) << metadata.body;
  EXPECT_EQ(json::find_string(parsed(metadata.body), "issuer"), own_audience);
  EXPECT_EQ(json::find_string(parsed(metadata.body), "jwks_uri"), server->url() + "/openid/v1/jwks");
  const auto certificate = server->client_certificate("bob", {}).value();
  EXPECT_EQ(RawClient(*server, &certificate).send("GET", "/openid/v1/jwks").status, 403);
}

TEST(Tokens, AreGoodAfterTheServerWasStartedAgain) {
  const fairway::testing::TempDirectory folder;
  std::string token;
  for (int start = 0; start < 2; ++start) {
    const auto server = start_server({.data = folder / "data", .namespace_defaults = false});
    const RawClient admin(*server, &server->admin());
    if (start == 0) {
      ASSERT_EQ(admin.send("POST", accounts, {}, R"({"metadata":{"name":"robot"}})").status, 201);
      token = body_of(admin.send("POST", accounts + "/robot/token", {}, "{}")).text("status.token");
      ASSERT_FALSE(token.empty());
    }
    EXPECT_EQ(RawClient(*server).send("POST", self_reviews, bearing(token), self_review).status, 201);
  }
}

}  // namespace
}  // namespace fairway::apiserver::testing
