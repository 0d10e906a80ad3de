// SPDX-License-Identifier: Apache-2.0

#include "updateservice/internal/bodies/private_channels.h"

#include <gtest/gtest.h>

#include "base/digest.h"

namespace fairway::updateservice {
namespace {

constexpr const char* rules_text = R"(
rules:
- pattern: acme-public-*
  public: true
- pattern: acme-*
  basic:
  - user: alice
    password: "open sesame"
  bearer:
  - token: both-token
- pattern: umbra-*
  bearer:
  - token: both-token
  - tokenSha256: 9F86D081884C7D659A2FEAA0C55AD015A3BF4F1B2B0B822CD15D6C15B0F00A08
- pattern: sealed-*
)";

std::shared_ptr<const PrivateChannels> rules() {
  auto loaded = PrivateChannels::parse(rules_text, "rules.yaml");
  EXPECT_TRUE(loaded) << (loaded ? "" : loaded.error().message);
  return loaded ? *loaded : nullptr;
}

bool opens(const PrivateChannels& rules, std::string_view authorization, std::string_view channel) {
  const auto audience = rules.authenticate(authorization);
  return audience && rules.opens(*audience, rules.rule_of(channel));
}

TEST(PrivateChannels, DecidesByTheFirstRuleThatMatches) {
  const auto r = rules();
  EXPECT_EQ(r->rule_of("stable-4.7"), std::nullopt);
  EXPECT_EQ(r->rule_of("acme-public-4.7"), std::nullopt);
  EXPECT_EQ(r->rule_of("acme-4.7"), 1U);
  EXPECT_EQ(r->rule_of("umbra-4.7"), 2U);
  EXPECT_EQ(r->rule_of("sealed-4.7"), 3U);
}

TEST(PrivateChannels, OpensTheChannelsOfTheRulesThatCredentialsMatch) {
  const auto r = rules();
  // base64 of "alice:open sesame"
  EXPECT_TRUE(opens(*r, "Basic YWxpY2U6b3BlbiBzZXNhbWU=", "acme-4.7"));
  EXPECT_TRUE(opens(*r, "basic  YWxpY2U6b3BlbiBzZXNhbWU", "acme-4.7"));
  EXPECT_FALSE(opens(*r, "Basic YWxpY2U6b3BlbiBzZXNhbWU=", "umbra-4.7"));
  EXPECT_TRUE(opens(*r, "Bearer both-token", "acme-4.7"));
  EXPECT_TRUE(opens(*r, "Bearer both-token", "umbra-4.7"));
  EXPECT_FALSE(opens(*r, "Bearer both-token", "sealed-4.7"));
  // SHA-256 of "test"
  EXPECT_TRUE(opens(*r, "BEARER test", "umbra-4.7"));
  EXPECT_FALSE(opens(*r, "Bearer test", "acme-4.7"));
}

TEST(PrivateChannels, RefusesWrongCredentials) {
  const auto r = rules();
  for (const char* wrong :
       {"", "Bearer", "Bearer ", "Bearer nope", "Basic ", "Basic !!!",
        "Basic YWxpY2U=", "Basic YWxpY2U6d3Jvbmc=", "Digest both-token", "both-token", "Basic both-token"}) {
    EXPECT_FALSE(r->authenticate(wrong)) << wrong;
  }
}

TEST(PrivateChannels, TakesNoCredentialsForThePublic) {
  EXPECT_EQ(rules()->authenticate(std::nullopt), public_audience);
  // Without rules there is nothing to open: credentials that somebody sends anyway are not looked at.
  EXPECT_EQ(PrivateChannels::none()->authenticate("Bearer whatever"), public_audience);
}

TEST(PrivateChannels, MakesOneAudienceOfEachSetOfRules) {
  EXPECT_EQ(rules()->audiences().size(), 4U);  // the public, alice, both-token, test
}

TEST(PrivateChannels, HasAFingerprintThatFollowsTheRulesAndHoldsNoSecret) {
  const auto with = [](const std::string& token) {
    return (*PrivateChannels::parse("rules: [{pattern: a, bearer: [{token: " + token + "}]}]", "r"))
        ->fingerprint();
  };
  EXPECT_EQ(with("one"), with("one"));
  EXPECT_NE(with("one"), with("two"));
  EXPECT_NE(with("one"), PrivateChannels::none()->fingerprint());
}

TEST(PrivateChannels, RefusesAFileThatIsNotUnderstoodWhole) {
  for (const char* broken : {
           "",
           "rules",
           "rules: {}",
           "rule: []",
           "rules: []\nmore: 1",
           "rules: [{patern: a}]",
           "rules: [{pattern: a, basics: []}]",
           "rules: [{pattern: ''}]",
           "rules: [{pattern: a, pattern: b}]",
           "rules: [{pattern: a, bearer: {token: x}}]",
           "rules: [{pattern: a, bearer: [{token: ''}]}]",
           "rules: [{pattern: a, bearer: [{}]}]",
           "rules: [{pattern: a, bearer: [{token: x, tokenSha256: y}]}]",
           "rules: [{pattern: a, bearer: [{tokenSha256: abc}]}]",
           "rules: [{pattern: a, basic: [{user: x}]}]",
           "rules: [{pattern: a, basic: [{user: 'x:y', password: z}]}]",
           "rules: [{pattern: a, public: maybe}]",
           "rules: [{pattern: a, public: true, bearer: [{token: x}]}]",
           "rules: [{pattern: a}]\n---\nrules: []",
           "rules: [{pattern: a",
       }) {
    const auto parsed = PrivateChannels::parse(broken, "rules.yaml");
    ASSERT_FALSE(parsed) << broken;
    EXPECT_TRUE(parsed.error().message.starts_with("rules.yaml:")) << parsed.error().message;
  }
}

}  // namespace
}  // namespace fairway::updateservice
