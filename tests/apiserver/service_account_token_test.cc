// SPDX-License-Identifier: Apache-2.0

// Tokens of ServiceAccounts: what is signed is accepted as it is, and nothing else.
#include "apiserver/internal/access/service_account_token.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "base/base64.h"
#include "http/signing_key.h"

namespace fairway::apiserver::access {
namespace {

using namespace std::chrono_literals;

const WallTime now = WallTime(1'800'000'000s);

TokenSigner new_signer(const std::string& issuer = "https://kubernetes.default.svc") {
  return TokenSigner::of(http::make_signing_key().value(), issuer).value();
}

TokenClaims claims_for(const TokenSigner& signer) {
  return {.namespace_name = "a",
          .service_account = "robot",
          .uid = "1-2",
          .bound = BoundObject{.kind = "Pod", .name = "p", .uid = "3-4"},
          .audiences = {signer.issuer(), "vault"},
          .issuer = signer.issuer(),
          .id = "5-6",
          .issued = now,
          .not_before = now,
          .expires = now + 1h};
}

TEST(ServiceAccountToken, CarriesItsClaims) {
  const TokenSigner signer = new_signer();
  const TokenClaims claims = claims_for(signer);
  const auto token = signer.sign(claims);
  ASSERT_TRUE(token);
  const auto read = signer.verify(*token, {"vault"}, now);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, claims);
}

TEST(ServiceAccountToken, IsRefusedOutsideOfItsTimeAndAudience) {
  const TokenSigner signer = new_signer();
  const std::string token = signer.sign(claims_for(signer)).value();
  EXPECT_TRUE(signer.verify(token, {"vault"}, now + 1h - 1s));
  for (const auto& [audiences, at] :
       {std::pair(std::vector<std::string>{"vault"}, now + 1h),
        std::pair(std::vector<std::string>{"vault"}, now - 1s),
        std::pair(std::vector<std::string>{"other"}, now), std::pair(std::vector<std::string>{}, now)}) {
    const auto read = signer.verify(token, audiences, at);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::unauthenticated);
  }
}

TEST(ServiceAccountToken, OfAnotherKeyOrIssuerIsRefused) {
  const TokenSigner signer = new_signer(), other = new_signer();
  EXPECT_FALSE(signer.verify(other.sign(claims_for(other)).value(), {"vault"}, now));
  const std::string key = http::make_signing_key().value();
  const TokenSigner here = TokenSigner::of(key, "https://here").value();
  const TokenSigner there = TokenSigner::of(key, "https://there").value();
  EXPECT_FALSE(here.verify(there.sign(claims_for(there)).value(), {"vault"}, now));
}

TEST(ServiceAccountToken, WithAnyByteChangedIsRefused) {
  const TokenSigner signer = new_signer();
  const std::string token = signer.sign(claims_for(signer)).value();
  for (std::size_t i = 0; i < token.size(); i += i + 8 < token.size() ? 7 : 1) {
    for (const char c : {'A', 'B', '.', '=', '\n'}) {
      std::string changed = token;
      if (changed[i] == c) continue;
      changed[i] = c;
      // The last character of a part has bits that count for nothing; they must be zero nevertheless.
      EXPECT_FALSE(signer.verify(changed, {"vault"}, now)) << i << " " << c;
    }
    EXPECT_FALSE(signer.verify(token.substr(0, i), {"vault"}, now)) << i;
  }
  EXPECT_FALSE(signer.verify(token + "=", {"vault"}, now));
  EXPECT_FALSE(signer.verify(token + ".", {"vault"}, now));
}

TEST(ServiceAccountToken, ThatAsksForNoSignatureIsRefused) {
  const TokenSigner signer = new_signer();
  const std::string token = signer.sign(claims_for(signer)).value();
  const std::string claims = token.substr(token.find('.'), token.rfind('.') - token.find('.'));
  // {"alg":"none"}
  EXPECT_FALSE(signer.verify("eyJhbGciOiJub25lIn0" + claims + ".", {"vault"}, now));
}

/// Returns the same token with another head, signed again.
std::string with_head(const std::string& token, const std::string& head, const std::string& key) {
  const std::size_t first = token.find('.'), last = token.rfind('.');
  const std::string signed_part = base64url_encode(head) + token.substr(first, last - first);
  return signed_part + "." + base64url_encode(http::sign(key, signed_part).value());
}

TEST(ServiceAccountToken, OfAnyTrustedKeyAndIssuerIsAccepted) {
  const std::string key = http::make_signing_key().value(), other = http::make_signing_key().value();
  const TokenSigner old = TokenSigner::of(other, "https://old").value();
  const auto verifying = http::read_verifying_keys(key + other).value();
  const TokenSigner now_signing =
      TokenSigner::of({.private_key = key, .issuers = {"https://new", "https://old"}, .verifying = verifying})
          .value();
  EXPECT_TRUE(now_signing.verify(old.sign(claims_for(old)).value(), {"vault"}, now));
  EXPECT_TRUE(now_signing.verify(now_signing.sign(claims_for(now_signing)).value(), {"vault"}, now));
  EXPECT_EQ(now_signing.key_set().at("keys").as_array().size(), 2U);
  // What signs need not verify: a key that is being brought in, whose tokens others accept.
  const TokenSigner only_old =
      TokenSigner::of({.private_key = key, .issuers = {"https://old"}, .verifying = {verifying.back()}})
          .value();
  EXPECT_FALSE(only_old.verify(only_old.sign(claims_for(only_old)).value(), {"vault"}, now));
}

TEST(ServiceAccountToken, NamesItsKeyTruly) {
  const std::string key = http::make_signing_key().value(), other = http::make_signing_key().value();
  const auto keys = http::read_verifying_keys(key + other).value();
  const TokenSigner signer =
      TokenSigner::of({.private_key = key, .issuers = {"https://here"}, .verifying = keys}).value();
  const std::string token = signer.sign(claims_for(signer)).value();
  const auto is_accepted = [&](const std::string& head) {
    return signer.verify(with_head(token, head, key), {"vault"}, now).has_value();
  };
  // Names of keys that are not known do not matter: earlier releases named theirs otherwise.
  EXPECT_TRUE(is_accepted(R"({"alg":"ES256"})"));
  EXPECT_TRUE(is_accepted(R"({"alg":"ES256","kid":"unknown"})"));
  const json::Value set = signer.key_set();
  EXPECT_FALSE(is_accepted(R"({"alg":"ES256","kid":")" +
                           std::string(set.at("keys").at(1).at("kid").as_string()) + "\"}"));
  EXPECT_FALSE(is_accepted(R"({"alg":"RS256"})"));
  EXPECT_FALSE(is_accepted(R"({"alg":"HS256"})"));
  EXPECT_FALSE(is_accepted(R"({"alg":"none"})"));
  EXPECT_FALSE(is_accepted(R"({"alg":"ES256","crit":["x"]})"));
  EXPECT_FALSE(is_accepted(R"({})"));
  EXPECT_FALSE(is_accepted("[]"));
}

TEST(ServiceAccountToken, HasItsKeyInTheKeySet) {
  const std::string key = http::make_signing_key().value();
  const TokenSigner signer = TokenSigner::of(key, "https://here").value();
  const json::Value keys = signer.key_set();
  const json::Value& web_key = keys.at("keys").at(0);
  EXPECT_EQ(json::find_string(web_key, "kty"), "EC");
  EXPECT_EQ(json::find_string(web_key, "x")->size(), 43u);
  EXPECT_EQ(json::find_string(web_key, "y")->size(), 43u);
  EXPECT_EQ(json::find_string(signer.openid_configuration("https://here/openid/v1/jwks"), "issuer"),
            "https://here");
  EXPECT_FALSE(TokenSigner::of("no key", "https://here"));
}

}  // namespace
}  // namespace fairway::apiserver::access
