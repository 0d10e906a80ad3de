// SPDX-License-Identifier: Apache-2.0

#include "oci/internal/auth.h"

#include <gtest/gtest.h>

#include <string>

#include "support/temp_directory.h"

namespace fairway::oci {
namespace {

std::string user_for(const AuthFile& file, std::string_view registry, std::string_view repository) {
  const auto found = file.find(registry, repository);
  if (!found) return "error: " + found.error().message;
  return *found ? (*found)->username + ":" + (*found)->password : "none";
}

TEST(AuthFile, TakesTheLongestKeyOfARepository) {
  const auto file = AuthFile::parse(R"({"auths":{
      "quay.io":{"auth":"aG9zdDpw"},
      "quay.io/org":{"auth":"b3JnOnA="},
      "quay.io/org/repo":{"username":"repo","password":"p:q"}}})",
                                    "auth.json");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(user_for(*file, "quay.io", "org/repo"), "repo:p:q");
  EXPECT_EQ(user_for(*file, "quay.io", "org/repo/more"), "repo:p:q");
  EXPECT_EQ(user_for(*file, "quay.io", "org/repo2"), "org:p");
  EXPECT_EQ(user_for(*file, "quay.io", "other"), "host:p");
  EXPECT_EQ(user_for(*file, "quay.io:443", "org/repo"), "none");
  EXPECT_EQ(user_for(*file, "registry.example", "org/repo"), "none");
}

TEST(AuthFile, TakesKeysWithSchemeAndPath) {
  const auto file = AuthFile::parse(R"({"auths":{
      "https://index.docker.io/v1/":{"auth":"aHViOnA="},
      "https://registry.example:5000/v2/":{"auth":"cmVnOnA="},
      "http://plain.example/":{"auth":"cGxhaW46cA=="}}})",
                                    "config.json");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(user_for(*file, "docker.io", "library/busybox"), "hub:p");
  EXPECT_EQ(user_for(*file, "registry-1.docker.io", "a"), "hub:p");
  EXPECT_EQ(user_for(*file, "registry.example:5000", "a"), "reg:p");
  EXPECT_EQ(user_for(*file, "plain.example", "a"), "plain:p");
}

TEST(AuthFile, TakesIdentityTokens) {
  const auto file =
      AuthFile::parse(R"({"auths":{"h":{"auth":"PHRva2VuPjo=","identitytoken":"secret"}}})", "f");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->find("h", "a").value()->identity_token, "secret");
}

TEST(AuthFile, SaysThatCredentialHelpersAreNotRun) {
  const auto store = AuthFile::parse(R"({"auths":{"quay.io":{}},"credsStore":"desktop"})", "f");
  ASSERT_TRUE(store);
  EXPECT_NE(user_for(*store, "quay.io", "a").find("credential helper \"desktop\""), std::string::npos);
  EXPECT_EQ(user_for(*store, "other.io", "a"), "none");
  const auto helper = AuthFile::parse(R"({"auths":{},"credHelpers":{"gcr.io":"gcloud"}})", "f");
  ASSERT_TRUE(helper);
  const auto found = helper->find("gcr.io", "a/b");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::unsupported);
  EXPECT_NE(found.error().message.find("gcloud"), std::string::npos);
}

TEST(AuthFile, NamesABrokenEntryAndNotItsSecret) {
  for (const char* text : {R"({"auths":{"h":{"auth":"c2VjcmV0"}}})", R"({"auths":{"h":{"auth":"!secret!"}}})",
                           R"({"auths":{"h":{"auth":7}}})", R"({"auths":{"h":"secret"}})"}) {
    const auto file = AuthFile::parse(text, "f.json");
    ASSERT_FALSE(file) << text;
    EXPECT_NE(file.error().message.find("f.json"), std::string::npos) << file.error().message;
    EXPECT_NE(file.error().message.find("\"h\""), std::string::npos) << file.error().message;
    EXPECT_EQ(file.error().message.find("secret"), std::string::npos) << file.error().message;
  }
  EXPECT_FALSE(AuthFile::parse("[]", "f"));
  EXPECT_FALSE(AuthFile::parse("{", "f"));
  EXPECT_FALSE(AuthFile::parse(R"({"auths":{"h":{"auth":"dTpw"}},"auths":{"h":{"auth":"dTpx"}}})", "f"));
  EXPECT_FALSE(AuthFile::parse(R"({"auths":[]})", "f"));
  EXPECT_FALSE(AuthFile::load("/does/not/exist"));
}

TEST(AuthFile, SaysWhatWasLookedFor) {
  EXPECT_NE(AuthFile().describe_missing("h", "a").find("--auth-file"), std::string::npos);
  const auto file = AuthFile::parse("{}", "f.json").value();
  EXPECT_NE(file.describe_missing("h", "a/b").find(R"("h/a/b", "h/a", "h")"), std::string::npos);
}

TEST(Challenges, AreReadWithQuotesAndLists) {
  const auto one = parse_challenges(
      R"(Bearer realm="https://auth.example/token",service="r e,g",scope="repository:a/b:pull,push")");
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0].scheme, "bearer");
  EXPECT_EQ(one[0].parameters.at("realm"), "https://auth.example/token");
  EXPECT_EQ(one[0].parameters.at("service"), "r e,g");
  EXPECT_EQ(one[0].parameters.at("scope"), "repository:a/b:pull,push");

  const auto two = parse_challenges(R"(Negotiate, Basic Realm = "a\"b" , charset=UTF-8)");
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(two[0].scheme, "negotiate");
  EXPECT_EQ(two[1].scheme, "basic");
  EXPECT_EQ(two[1].parameters.at("realm"), "a\"b");
  EXPECT_EQ(two[1].parameters.at("charset"), "UTF-8");
}

TEST(Challenges, EndWhereTheyCannotBeRead) {
  for (const char* text : {"", ",,", "=x", R"(Bearer realm="open)", R"("x")", "realm=x"}) {
    for (const auto& challenge : parse_challenges(text)) EXPECT_TRUE(challenge.parameters.empty()) << text;
  }
}

}  // namespace
}  // namespace fairway::oci
