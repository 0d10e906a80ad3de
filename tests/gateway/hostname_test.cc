// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/objects/hostname.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "gateway/internal/objects/values.h"

namespace fairway::gateway {
namespace {

TEST(Hostnames, AreNamesInLowerCaseAndNoAddresses) {
  for (const char* good : {"example.com", "a", "a-b.c1", "xn--bcher-kva.example"})
    EXPECT_TRUE(is_hostname(good, false)) << good;
  for (const char* bad : {"", "Example.com", "a..b", "-a.b", "a_b", "10.0.0.1", "*.example.com", "a.b."})
    EXPECT_FALSE(is_hostname(bad, false)) << bad;
  EXPECT_TRUE(is_hostname("*.example.com", true));
  for (const char* bad : {"*", "*.", "a.*.b", "*a.example.com", "*.*.b"})
    EXPECT_FALSE(is_hostname(bad, true)) << bad;
  EXPECT_FALSE(is_hostname(std::string(64, 'a') + ".b", true));
}

TEST(Hostnames, HaveTheNarrowerInCommon) {
  struct Case {
    const char *a, *b, *common;
  };
  constexpr Case table[] = {
      {"", "", ""},
      {"", "a.b", "a.b"},
      {"a.b", "a.b", "a.b"},
      {"a.b", "a.c", nullptr},
      {"*.b.c", "a.b.c", "a.b.c"},
      {"*.c", "a.b.c", "a.b.c"},
      {"*.b.c", "b.c", nullptr},
      {"*.b.c", "*.a.b.c", "*.a.b.c"},
      {"*.b.c", "*.x.c", nullptr},
      {"*.b.c", "ab.c", nullptr},
  };
  for (const Case& one : table) {
    for (const auto& common : {intersection(one.a, one.b), intersection(one.b, one.a)}) {
      EXPECT_EQ(common.has_value(), one.common != nullptr) << one.a << " and " << one.b;
      if (common && one.common != nullptr) {
        EXPECT_EQ(*common, one.common);
      }
    }
  }
}

TEST(Hostnames, ThatAListenerHasNarrowedAreKnownByTheRoutesOwn) {
  using Names = std::vector<std::string>;
  using Narrowed = std::map<std::string, std::string, std::less<>>;
  EXPECT_EQ(narrowed_hostnames("", {}), Narrowed{});
  EXPECT_EQ(narrowed_hostnames("", Names{"a.b"}), Narrowed{});
  EXPECT_EQ(narrowed_hostnames("a.b.c", {}), (Narrowed{{"a.b.c", ""}}));
  EXPECT_EQ(narrowed_hostnames("a.b.c", Names{"a.b.c"}), Narrowed{});
  EXPECT_EQ(narrowed_hostnames("a.b.c", Names{"*.c", "*.b.c"}), (Narrowed{{"a.b.c", "*.b.c"}}));
  EXPECT_EQ(narrowed_hostnames("a.b.c", Names{"*.b.c", "a.b.c"}), Narrowed{}) << "it is the route's own";
  EXPECT_EQ(narrowed_hostnames("*.b.c", Names{"*.c", "a.b.c", "x.y"}), (Narrowed{{"*.b.c", "*.c"}}));
}

TEST(Hostnames, AreNarrowerByNameThenByLength) {
  const std::vector<std::string> ordered{"long.example.com", "a.b", "*.example.com", "*.b", ""};
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    for (std::size_t j = 0; j < ordered.size(); ++j)
      EXPECT_EQ(is_narrower(ordered[i], ordered[j]), i < j) << ordered[i] << " and " << ordered[j];
  }
}

TEST(Durations, AreThoseOfTheApi) {
  EXPECT_EQ(read_duration("1h30m")->count(), 5'400'000);
  EXPECT_EQ(read_duration("250ms")->count(), 250);
  EXPECT_EQ(read_duration("0s")->count(), 0);
  for (const char* bad : {"", "1", "1.5s", "-1s", "1 s", "1d", "123456s", "1h1m1s1ms1s", "s"})
    EXPECT_FALSE(read_duration(bad)) << bad;
}

TEST(Paths, ArePlainOnes) {
  for (const char* good : {"/", "/a", "/a/b.c", "/%20", "/a:b"}) EXPECT_TRUE(is_path(good)) << good;
  for (const char* bad : {"", "a", "//", "/a/../b", "/a/..", "/%2f", "/a b", "/a?b", "/a#b", "/%2", "/\n"})
    EXPECT_FALSE(is_path(bad)) << bad;
}

}  // namespace
}  // namespace fairway::gateway
