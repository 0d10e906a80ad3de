// SPDX-License-Identifier: Apache-2.0

#include "operators/internal/kept_order.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fairway::operators {
namespace {

graph::Risk risk(const std::string& name, const std::string& message = "") {
  return {.url = "https://example.com/" + name,
          .name = name,
          .message = message,
          .matching_rules = graph::always_rule()};
}

/// Adds a conditional update.
void add(AvailableUpdates& updates, const std::string& version, std::vector<graph::Risk> risks) {
  updates.targets.push_back(
      {.version = version, .image = "example.com/r@" + version, .url = {}, .channels = {}});
  updates.updates.push_back({.target = *Version::parse(version), .risks = std::move(risks)});
}

std::string names(const AvailableUpdates& updates, std::size_t i) {
  std::string out;
  for (const graph::Risk& one : updates.updates[i].risks) out += one.name + one.message + " ";
  return out;
}

TEST(KeptOrder, IsThatOfTheAnswerBefore) {
  AvailableUpdates before, now;
  add(before, "4.6.30", {risk("A"), risk("B"), risk("C")});
  add(before, "4.6.29", {risk("B"), risk("A")});
  before.problems = {"one", "two"};
  add(now, "4.6.31", {risk("B"), risk("A")});
  add(now, "4.6.30", {risk("C"), risk("A"), risk("B")});
  add(now, "4.6.29", {risk("B"), risk("A")});
  now.problems = {"two", "one"};
  keep_order(now, before);
  EXPECT_EQ(names(now, 0), "B A ");
  EXPECT_EQ(names(now, 1), "A B C ");
  EXPECT_EQ(names(now, 2), "B A ");
  EXPECT_EQ(now.problems, before.problems);
}

TEST(KeptOrder, GivesWayToAnyChange) {
  AvailableUpdates before, now;
  add(before, "4.6.30", {risk("A"), risk("B")});
  add(before, "4.6.29", {risk("A"), risk("B")});
  add(before, "4.6.28", {risk("A"), risk("B")});
  before.problems = {"one", "two"};
  add(now, "4.6.30", {risk("B"), risk("A", "more")});
  add(now, "4.6.29", {risk("B"), risk("A"), risk("C")});
  add(now, "4.6.28", {risk("B"), risk("C")});
  now.updates[2].risks[1].name = "A";
  now.problems = {"two", "three"};
  keep_order(now, before);
  EXPECT_EQ(names(now, 0), "B Amore ");
  EXPECT_EQ(names(now, 1), "B A C ");
  // The URL is another.
  EXPECT_EQ(names(now, 2), "B A ");
  EXPECT_EQ(now.problems, (std::vector<std::string>{"two", "three"}));
}

TEST(KeptOrder, IsOfTheSameImageAlone) {
  AvailableUpdates before, now;
  add(before, "4.6.30", {risk("A"), risk("B")});
  add(now, "4.6.30", {risk("B"), risk("A")});
  now.targets[0].image = "example.com/other";
  keep_order(now, before);
  EXPECT_EQ(names(now, 0), "B A ");
}

}  // namespace
}  // namespace fairway::operators
