// SPDX-License-Identifier: Apache-2.0

#include "base/semver.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fairway {
namespace {

Version version(std::string_view text) {
  const auto parsed = Version::parse(text);
  EXPECT_TRUE(parsed) << text;
  return parsed.value_or(Version{});
}

TEST(SemVer, OrdersPrecedenceAsSection11Says) {
  const std::vector<std::string> ascending = {"1.0.0-alpha",
                                              "1.0.0-alpha.1",
                                              "1.0.0-alpha.beta",
                                              "1.0.0-beta",
                                              "1.0.0-beta.2",
                                              "1.0.0-beta.11",
                                              "1.0.0-rc.1",
                                              "1.0.0",
                                              "1.0.1",
                                              "1.1.0",
                                              "1.10.0",
                                              "2.0.0",
                                              "2.0.0-0.hotfix-2020-08-24-185832"};
  for (std::size_t i = 0; i + 2 < ascending.size(); ++i) {
    EXPECT_LT(version(ascending[i]), version(ascending[i + 1])) << ascending[i];
  }
  EXPECT_LT(version("2.0.0-0.hotfix-2020-08-24-185832"), version("2.0.0"));
  EXPECT_LT(version("1.0.0-99999999999999999999998"), version("1.0.0-99999999999999999999999"));
}

TEST(SemVer, IgnoresBuildTextInPrecedenceButNotInIdentity) {
  EXPECT_TRUE(compare_precedence(version("4.1.0+amd64"), version("4.1.0+arm64")) == 0);
  EXPECT_NE(version("4.1.0+amd64"), version("4.1.0+arm64"));
  EXPECT_LT(version("4.1.0+amd64"), version("4.1.0+arm64"));
  EXPECT_EQ(version("4.1.0+amd64").with_build(""), version("4.1.0"));
}

TEST(SemVer, WritesWhatItRead) {
  for (const std::string text : {"0.0.0", "4.16.0-rc.1+amd64", "4.5.0-0.hotfix-2020-08-24-185832",
                                 "1.0.0--x.-", "18446744073709551615.0.0", "1.0.0+001"}) {
    EXPECT_EQ(version(text).to_string(), text);
  }
}

TEST(SemVer, RefusesWhatIsNoVersionAndSaysWhy) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "three numbers"},
      {"4.16", "three numbers"},
      {"4.16.0.1", "three numbers"},
      {"v4.16.0", "'v4' is not a number"},
      {" 4.16.0", "' 4' is not a number"},
      {"4.16.0 ", "'0 ' is not a number"},
      {"4.016.0", "leading zero"},
      {"4.16.0-", "identifier"},
      {"4.16.0-rc..1", "identifier"},
      {"4.16.0-01", "leading zero"},
      {"4.16.0+", "nothing follows"},
      {"4.16.0-r_c", "other characters"},
      {"4.16.0+a+b", "other characters"},
      {"99999999999999999999.0.0", "too large"},
      {"4.-1.0", "three numbers"},
      {std::string(300, '1'), "longer than 256"},
  };
  for (const auto& [text, why] : cases) {
    const auto parsed = Version::parse(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_NE(parsed.error().message.find(why), std::string::npos) << text << ": " << parsed.error().message;
  }
}

}  // namespace
}  // namespace fairway
