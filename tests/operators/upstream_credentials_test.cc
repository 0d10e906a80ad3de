// SPDX-License-Identifier: Apache-2.0

#include "operators/upstream_credentials.h"

#include <gtest/gtest.h>

#include <map>

namespace fairway::operators {
namespace {

using Data = std::map<std::string, std::string>;

std::string authorization(const Data& data, const std::string& service = "https://u.example.com/graph") {
  auto secret = k8s::make<k8s::Secret>("fairway-upstream", "ns");
  for (const auto& [key, value] : data) secret.set_data(key, value);
  const auto found = authorization_of(secret, service);
  return found ? *found : "error: " + found.error().message;
}

TEST(UpstreamCredentials, AreATokenOrANameAndAPassword) {
  const std::string url = "https://u.example.com/api/upgrades_info/graph";
  EXPECT_EQ(authorization({{"url", url}, {"token", "abc\n"}}), "Bearer abc");
  EXPECT_EQ(authorization({{"url", url}, {"username", "alice"}, {"password", "p:w"}}), "Basic YWxpY2U6cDp3");
}

TEST(UpstreamCredentials, AreSentToTheOriginOfTheirUrlAlone) {
  const Data data{{"url", "https://u.example.com"}, {"token", "abc"}};
  EXPECT_EQ(authorization(data, "https://u.example.com:443/other/graph?x=1"), "Bearer abc");
  for (const char* other :
       {"http://u.example.com/graph", "https://u.example.com:8443/graph",
        "https://u.example.com.evil.example/graph", "https://evil.example/graph", "nothing", ""})
    EXPECT_EQ(authorization(data, other), "") << other;
}

TEST(UpstreamCredentials, AreRefusedWhereTheyAreNotWhole) {
  const std::string url = "https://u.example.com";
  for (const Data& data :
       {Data{}, Data{{"token", "abc"}}, Data{{"url", "nothing"}, {"token", "abc"}}, Data{{"url", url}},
        Data{{"url", url}, {"token", ""}}, Data{{"url", url}, {"token", "a b"}},
        Data{{"url", url}, {"token", "a\r\nX: y"}}, Data{{"url", url}, {"username", "alice"}},
        Data{{"url", url}, {"password", "abc"}}, Data{{"url", url}, {"username", "a:b"}, {"password", "abc"}},
        Data{{"url", url}, {"token", "abc"}, {"username", "alice"}, {"password", "abc"}}}) {
    const std::string said = authorization(data);
    EXPECT_TRUE(said.starts_with("error: the Secret ns/fairway-upstream: ")) << said;
    EXPECT_FALSE(said.contains("abc")) << said;
  }
}

}  // namespace
}  // namespace fairway::operators
