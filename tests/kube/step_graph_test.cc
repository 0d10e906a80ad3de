// SPDX-License-Identifier: Apache-2.0

#include "kube/internal/apply/step_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace fairway::kube {
namespace {

using State = StepGraph::State;

std::string error_of(const std::vector<StepGraph::Node>& nodes) {
  const auto graph = StepGraph::make(nodes);
  if (graph) return "";
  EXPECT_EQ(graph.error().code, ErrorCode::invalid);
  return graph.error().message;
}

TEST(StepGraphTest, RefusesWhatIsNoOrder) {
  EXPECT_EQ(error_of({{"a", {}}, {"", {}}}), "step 2 has no name");
  EXPECT_EQ(error_of({{"a", {}}, {"a", {}}}), "two steps are called a");
  EXPECT_EQ(error_of({{"a", {"b"}}}), "step a needs b, and there is no such step");
  EXPECT_EQ(error_of({{"a", {"a"}}}), "steps need each other: a needs a");
  EXPECT_EQ(error_of({{"x", {}}, {"c", {"b", "x"}}, {"b", {"d"}}, {"d", {"c"}}, {"e", {"d"}}}),
            "steps need each other: b needs d needs c needs b");
  // A step that is not in the cycle, but needs one that is.
  EXPECT_EQ(error_of({{"a", {"b"}}, {"b", {"c"}}, {"c", {"b"}}}), "steps need each other: b needs c needs b");
  EXPECT_EQ(error_of({}), "");
}

TEST(StepGraphTest, StartsStepsInTheirOrderWhenTheirNeedsAreDone) {
  auto graph =
      StepGraph::make({{"last", {"first", "second", "first"}}, {"second", {}}, {"first", {}}}).value();
  EXPECT_EQ(graph.start(), 1U);
  EXPECT_EQ(graph.start(), 2U);
  EXPECT_EQ(graph.start(), std::nullopt);
  EXPECT_FALSE(graph.is_over());
  graph.mark_done(2);
  EXPECT_EQ(graph.start(), std::nullopt);
  graph.mark_done(1);
  EXPECT_EQ(graph.start(), 0U);
  graph.mark_done(0);
  EXPECT_TRUE(graph.is_over());
}

TEST(StepGraphTest, SkipsWhatNeedsAFailedStep) {
  auto graph =
      StepGraph::make({{"a", {}}, {"b", {"a"}}, {"c", {"b"}}, {"other", {}}, {"d", {"other", "c"}}}).value();
  EXPECT_EQ(graph.start(), 0U);
  EXPECT_EQ(graph.start(), 3U);
  EXPECT_EQ(graph.mark_failed(0), (std::vector<std::size_t>{1, 2, 4}));
  graph.mark_done(3);
  EXPECT_TRUE(graph.is_over());
  EXPECT_EQ(graph.state(4), State::skipped);
  EXPECT_EQ(graph.state(3), State::done);
}

TEST(StepGraphTest, KeepsItsRulesInGraphsOfAnyForm) {
  std::mt19937 random(7);
  const auto below = [&](std::size_t count) { return random() % count; };
  for (int round = 0; round < 300; ++round) {
    std::vector<StepGraph::Node> nodes(1 + below(30));
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      nodes[i].name = std::to_string(i);
      for (std::size_t n = below(4); i > 0 && n > 0; --n) nodes[i].needs.push_back(std::to_string(below(i)));
    }
    std::ranges::shuffle(nodes, random);
    auto graph = StepGraph::make(nodes);
    ASSERT_TRUE(graph) << graph.error().message;
    const auto number_of = [&](const std::string& name) {
      return static_cast<std::size_t>(std::ranges::find(nodes, name, &StepGraph::Node::name) - nodes.begin());
    };
    std::vector<std::size_t> running;
    while (!graph->is_over()) {
      if (const auto step = below(2) == 0 ? graph->start() : std::nullopt) {
        for (const auto& need : nodes[*step].needs) EXPECT_EQ(graph->state(number_of(need)), State::done);
        running.push_back(*step);
      } else if (!running.empty()) {
        const auto at = running.begin() + static_cast<std::ptrdiff_t>(below(running.size()));
        if (below(10) == 0) {
          graph->mark_failed(*at);
        } else {
          graph->mark_done(*at);
        }
        running.erase(at);
      }
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const bool blocked = std::ranges::any_of(
          nodes[i].needs, [&](const auto& need) { return graph->state(number_of(need)) != State::done; });
      EXPECT_EQ(graph->state(i) == State::skipped, blocked);
      EXPECT_TRUE(blocked || graph->state(i) == State::done || graph->state(i) == State::failed);
    }
  }
}

}  // namespace
}  // namespace fairway::kube
