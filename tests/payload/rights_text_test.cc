// SPDX-License-Identifier: Apache-2.0

#include "payload/rights_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fairway::payload {
namespace {

using Lines = std::vector<std::string>;
using Rules = std::vector<k8s::RbacRule>;

/// Returns texts of which none weighs more than another.
Lines numbered(const std::string& prefix, std::size_t number) {
  Lines texts;
  for (std::size_t i = 0; i < number; ++i) texts.push_back(prefix + std::to_string(i));
  return texts;
}

TEST(RightsText, PutsRulesWithTheSameVerbsTogetherAndTheWeightiestFirst) {
  const RightsText text = describe(Rules{
      {.verbs = {"get", "list"}, .groups = {""}, .resources = {"pods"}},
      {.verbs = {"*"}, .groups = {"*"}, .resources = {"*"}},
      {.verbs = {"list", "get"}, .groups = {"apps"}, .resources = {"deployments"}},
      {.verbs = {"get"}, .groups = {""}, .resources = {"secrets"}, .names = {"a"}},
      {.verbs = {"get"}, .paths = {"/metrics"}},
  });
  EXPECT_EQ(text.lines,
            (Lines{"* on *.*", "get on secrets \"a\", /metrics", "get, list on pods, deployments.apps"}));
  EXPECT_TRUE(text.is_whole);
}

TEST(RightsText, KeepsTheWeightiestOfManyVerbs) {
  Lines verbs = numbered("verb", 12);
  verbs.emplace_back("escalate");
  Lines others = numbered("verb", 12);
  others.emplace_back("proxy");
  const RightsText text = describe(Rules{{.verbs = others, .groups = {""}, .resources = {"pods"}},
                                         {.verbs = verbs, .groups = {"r"}, .resources = {"clusterroles"}}});
  EXPECT_EQ(text.lines,
            (Lines{"escalate, verb0, verb1, verb2, verb3, verb4, verb5, verb6 and 5 more on clusterroles.r",
                   "verb0, verb1, verb2, verb3, verb4, verb5, verb6, verb7 and 5 more on pods"}));
  EXPECT_FALSE(text.is_whole);
}

TEST(RightsText, KeepsTheWeightiestOfManyTargets) {
  Rules rules;
  for (const std::string& resource : numbered("r", 12))
    rules.push_back({.verbs = {"get"}, .groups = {""}, .resources = {resource}});
  rules.push_back({.verbs = {"get"}, .groups = {""}, .resources = {"secrets"}});
  rules.push_back({.verbs = {"get"}, .groups = {"*"}, .resources = {"pods"}});
  const Lines lines{"get on pods.*, secrets, r0, r1, r2, r3, r4, r5 and 6 more"};
  EXPECT_EQ(describe(rules).lines, lines);
  Lines together = numbered("r", 12);
  together.emplace_back("secrets");
  together.emplace_back("*/scale");
  EXPECT_EQ(describe(Rules{{.verbs = {"get"}, .groups = {""}, .resources = together}}).lines,
            Lines{"get on */scale, secrets, r0, r1, r2, r3, r4, r5 and 6 more"});
}

TEST(RightsText, IsShortAndSaysSo) {
  const Lines long_names = numbered(std::string(90, 'n'), 20);
  RightsText text =
      describe(Rules{{.verbs = long_names, .groups = {""}, .resources = {"secrets"}, .names = long_names}});
  ASSERT_EQ(text.lines.size(), 1U);
  EXPECT_LT(text.lines[0].size(), 400U);
  EXPECT_TRUE(text.lines[0].ends_with(" and 19 more")) << text.lines[0];
  EXPECT_FALSE(text.is_whole);
  text = describe(Rules{{.verbs = {"get"}, .groups = {""}, .resources = {std::string(101, 'r')}}});
  EXPECT_FALSE(text.is_whole);
}

TEST(RightsText, DoesNotSpellOutARuleThatNamesBillions) {
  const RightsText text = describe(Rules{{.verbs = {"get"},
                                          .groups = numbered("g", 2000),
                                          .resources = numbered("r", 2000),
                                          .names = numbered("n", 2000)}});
  ASSERT_EQ(text.lines.size(), 1U);
  EXPECT_TRUE(text.lines[0].ends_with(" and 7999999992 more")) << text.lines[0];
}

}  // namespace
}  // namespace fairway::payload
