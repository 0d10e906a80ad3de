// SPDX-License-Identifier: Apache-2.0

#include "graph/explained_updates.h"

#include <gtest/gtest.h>

#include "fixture.h"

namespace fairway::graph {
namespace {

constexpr int releases = 40, blocks = 50;
constexpr std::size_t message_bytes = 1500;

/// Makes 4.7.0 to 4.7.39, each with an update to the last one, on which 50 risks with long messages are.
std::shared_ptr<const Snapshot> many_conditional_updates() {
  json::Array versions, list, previous, risks;
  for (int i = 0; i < releases; ++i) {
    const std::string version = "4.7." + std::to_string(i);
    const bool last = i == releases - 1;
    list.push_back(json::Object{{"version", version},
                                {"previous", last ? previous : json::Array()},
                                {"next", json::Array()},
                                {"metadata", json::Object()}});
    versions.emplace_back(version);
    previous.emplace_back(version);
  }
  for (int i = 0; i < blocks; ++i) {
    risks.push_back(json::Object{{"to", "4.7.39"},
                                 {"from", "4[.]7[.].*|x" + std::to_string(i)},
                                 {"effect", "conditional"},
                                 {"name", "Risk" + std::to_string(i)},
                                 {"message", std::string(message_bytes, 'm')}});
  }
  return testing::build_snapshot(
      json::Object{{"releases", json::Object{{"amd64", list}}},
                   {"channels", json::Array{json::Object{{"name", "stable-4.7"}, {"versions", versions}}}},
                   {"blocks", risks}});
}

const UpdatesQuestion into_the_last{
    .channel = "stable-4.7", .arch = "amd64", .version = "4.7.39", .side = UpdatesQuestion::Side::to};

TEST(ExplainedUpdates, HaveTheMessageOfARiskOnce) {
  const auto snapshot = many_conditional_updates();
  const auto updates = explain_updates(View(*snapshot), into_the_last, {});
  ASSERT_TRUE(updates);
  ASSERT_EQ(updates->updates.size(), releases - 1U);
  for (const auto& update : updates->updates) {
    EXPECT_EQ(update.explanation.verdict, Explanation::Verdict::conditional);
    EXPECT_EQ(update.explanation.reasons.size(), std::size_t{blocks});
    ASSERT_EQ(update.risks.size(), std::size_t{blocks});
  }
  EXPECT_EQ(updates->updates[0].explanation.reasons[0].message,
            "blocked-edges/0.yaml makes it conditional on the risk Risk0");
  const std::string text = json::to_text(updates->to_json());
  std::size_t messages = 0;
  for (std::size_t at = 0; (at = text.find(std::string(message_bytes, 'm'), at)) != std::string::npos; ++at)
    ++messages;
  EXPECT_EQ(messages, std::size_t{blocks});
}

TEST(ExplainedUpdates, AreRefusedWhereTheyAreTooLarge) {
  const auto snapshot = many_conditional_updates();
  const View view(*snapshot);
  const auto refused = explain_updates(view, into_the_last, {}, Clock::system(), std::size_t{128} << 10);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::too_large);
  EXPECT_NE(refused.error().message.find("/explain"), std::string::npos) << refused.error().message;
  // The size that counts is about that of the answer.
  EXPECT_TRUE(explain_updates(view, into_the_last, {}, Clock::system(), std::size_t{1} << 20));
}

TEST(ExplainedUpdates, EndWhereTheirTimeIsOver) {
  const auto snapshot = many_conditional_updates();
  const auto late = explain_updates(View(*snapshot), into_the_last, {.deadline = SteadyTime::min()});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::deadline_exceeded);
}

}  // namespace
}  // namespace fairway::graph
