// SPDX-License-Identifier: Apache-2.0

// Command lines as Go's programs read them.
#include "envtest/given_flags.h"

#include <gtest/gtest.h>

namespace fairway::envtest {
namespace {

GivenFlags read(const std::vector<std::string>& words) {
  return read_flags(words, [](std::string_view name) -> std::optional<bool> {
    if (name == "profiling") return true;
    if (name == "port" || name == "modes" || name == "v") return false;
    return std::nullopt;
  });
}

TEST(GivenFlags, AreReadInAllTheirForms) {
  const GivenFlags given =
      read({"--port", "1", "--modes=a, b", "--profiling", "word", "--modes", "c", "-v=4"});
  EXPECT_EQ(given.value("port"), "1");
  EXPECT_EQ(given.list("modes"), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_TRUE(given.is_set("profiling"));
  EXPECT_EQ(given.value("v"), "4");
  EXPECT_EQ(given.others, std::vector<std::string>{"word"});
  EXPECT_TRUE(given.unknown.empty());
}

TEST(GivenFlags, TakeTheLastValueOfSeveral) {
  const GivenFlags given = read({"--port=1", "--profiling=false", "--port", "2"});
  EXPECT_EQ(given.value("port"), "2");
  EXPECT_FALSE(given.is_set("profiling", true));
  EXPECT_TRUE(given.is_set("other", true));
  EXPECT_EQ(given.value("other"), "");
}

TEST(GivenFlags, ThatAreUnknownAreNamedOnceAndTakeTheirValues) {
  const GivenFlags given = read({"--new", "value", "--newer", "--port", "-1", "--new=", "--last"});
  EXPECT_EQ(given.unknown, (std::vector<std::string>{"new", "newer", "last"}));
  EXPECT_EQ(given.value("port"), "-1");
  EXPECT_TRUE(given.others.empty());
}

}  // namespace
}  // namespace fairway::envtest
