// SPDX-License-Identifier: Apache-2.0

// Flows that take turns.
#include "base/fair_queue.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fairway {
namespace {

using Queue = FairQueue<std::string>;

constexpr auto any = [](const std::string&, const std::string&) { return true; };

std::vector<std::string> drain(Queue& queue) {
  std::vector<std::string> jobs;
  while (auto taken = queue.pop(any)) jobs.push_back(taken->second);
  return jobs;
}

Queue filled() {
  Queue queue;
  for (const char* job : {"a1", "a2", "a3", "b1", "c1", "c2"}) queue.push(std::string(job, 1), job);
  return queue;
}

TEST(FairQueue, GivesEachFlowItsTurn) {
  Queue queue = filled();
  EXPECT_EQ(queue.size(), 6U);
  EXPECT_EQ(queue.size_of("c"), 2U);
  EXPECT_EQ(queue.size_of("d"), 0U);
  EXPECT_EQ(queue.most_of_a_flow(), 3U);
  EXPECT_EQ(drain(queue), (std::vector<std::string>{"a1", "b1", "c1", "a2", "c2", "a3"}));
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.most_of_a_flow(), 0U);
}

TEST(FairQueue, PassesOverFlowsThatMayNotRun) {
  Queue queue = filled();
  const auto not_a = [](const std::string& flow, const std::string&) { return flow != "a"; };
  EXPECT_TRUE(queue.has(not_a));
  EXPECT_EQ(queue.pop(not_a)->second, "b1");
  EXPECT_EQ(queue.pop(not_a)->second, "c1");
  EXPECT_EQ(queue.pop(not_a)->second, "c2");
  EXPECT_FALSE(queue.has(not_a));
  EXPECT_FALSE(queue.pop(not_a));
  EXPECT_EQ(drain(queue), (std::vector<std::string>{"a1", "a2", "a3"})) << "its place is kept";
}

TEST(FairQueue, WithdrawsAJobWithoutATurn) {
  Queue queue = filled();
  EXPECT_EQ(queue.withdraw(any)->second, "a1");
  EXPECT_EQ(drain(queue), (std::vector<std::string>{"a2", "b1", "c1", "a3", "c2"}));
}

TEST(FairQueue, HasTheLongestFlowGiveWay) {
  Queue queue = filled();
  EXPECT_EQ(queue.pop_newest_of_longest(), "a3");
  EXPECT_EQ(drain(queue), (std::vector<std::string>{"a1", "b1", "c1", "a2", "c2"}));
}

TEST(FairQueue, ShowsTheFirstJobOfEachFlow) {
  std::vector<std::string> seen;
  filled().for_each_first(
      [&](const std::string& flow, const std::string& job) { seen.push_back(flow + job); });
  EXPECT_EQ(seen, (std::vector<std::string>{"aa1", "bb1", "cc1"}));
}

}  // namespace
}  // namespace fairway
