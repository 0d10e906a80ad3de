// SPDX-License-Identifier: Apache-2.0

// Kubernetes refuses a ClusterVersion of which one condition has a message of more than 32,768 characters.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "risk/recommendation.h"
#include "risk/scripted_evaluator.h"

namespace fairway::risk {
namespace {

/// Returns the sum of the numbers between `before` and `after` in a text.
std::size_t sum_of(std::string_view text, std::string_view before, std::string_view after) {
  std::size_t sum = 0;
  for (std::size_t at = text.find(before); at != text.npos; at = text.find(before, at + 1)) {
    const std::string number(text.substr(at + before.size(), 40));
    const std::size_t digits = number.find_first_not_of("0123456789");
    if (digits != 0 && number.compare(digits, after.size(), after) == 0)
      sum += std::stoul(number.substr(0, digits));
  }
  return sum;
}

struct Judged {
  std::vector<graph::Risk> risks;
  std::vector<RiskVerdict> verdicts;
};

Judged judged(const std::vector<std::string>& messages, Outcome outcome) {
  Judged made;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const std::string name = "R" + std::to_string(i);
    made.risks.push_back({"https://example.com/" + name, name, messages[i], graph::always_rule()});
    made.verdicts.push_back({.outcome = outcome, .error = messages[i]});
  }
  return made;
}

TEST(ConditionText, StaysBelowWhatKubernetesAcceptsAndCountsTheRest) {
  const std::string wide = "\xe2\x82\xac";  // three bytes
  std::string euros;
  for (int i = 0; i < 40'000; ++i) euros += wide;
  const std::vector<std::vector<std::string>> table{
      {std::string(32'000, 'm')},
      {std::string(32'769, 'm')},
      {std::string(5'000'000, 'm')},
      {"short", std::string(40'000, 'm'), "short too"},
      {euros, "a" + euros, "ab" + euros},
      std::vector<std::string>(20, std::string(3'000, 'm')),
      std::vector<std::string>(9'000, "some text"),
      std::vector<std::string>(500, std::string(100'000, 'm')),
      {std::string(40'000, '\x80')},
  };
  for (const auto& messages : table) {
    SCOPED_TRACE(std::to_string(messages.size()) + " of " + std::to_string(messages[0].size()) + " bytes");
    std::size_t all = 0;
    for (const std::string& message : messages) all += message.size();
    for (const Outcome outcome : {Outcome::matches, Outcome::failed}) {
      const Judged of = judged(messages, outcome);
      for (const std::string& text :
           {recommended(of.risks, of.verdicts).message, evaluating(of.risks, of.verdicts).message}) {
        EXPECT_LT(text.size(), 32'768U);
        const std::size_t risks_left_out = sum_of(text, "[risks left out: ", "]");
        const std::size_t bytes_left_out = sum_of(text, " [", " bytes left out]");
        EXPECT_TRUE(is_utf8(text) || !is_utf8(messages[0]));
        if (all < 30'000) {
          EXPECT_EQ(text.find("left out"), text.npos);
        }
        // Nothing is lost without a number.
        EXPECT_GE(text.size() + bytes_left_out + risks_left_out * messages.back().size(), all);
        EXPECT_GE(text.size(), std::min<std::size_t>(all, 20'000)) << "most of the room is used";
      }
    }
  }
}

TEST(ConditionText, KeepsWhatIsShortAndTheUrlsOfWhatIsLong) {
  const Judged of = judged({"First.", std::string(40'000, 'm'), "Third."}, Outcome::matches);
  const std::string text = recommended(of.risks, of.verdicts).message;
  EXPECT_TRUE(text.starts_with("First. https://example.com/R0\n\nmmm")) << text.substr(0, 60);
  EXPECT_TRUE(text.ends_with("m [" + std::to_string(sum_of(text, " [", " bytes left out]")) +
                             " bytes left out] https://example.com/R1\n\nThird. https://example.com/R2"))
      << text.substr(text.size() - 120);
}

// As long as it fits, it is the text of the cluster-version operator.
TEST(ConditionText, IsUnchangedWhereItFits) {
  const Judged of = judged(std::vector<std::string>(900, "Text."), Outcome::matches);
  std::string whole;
  for (const graph::Risk& risk : of.risks)
    whole += (whole.empty() ? "" : "\n\n") + (risk.message + " " + risk.url);
  EXPECT_EQ(recommended(of.risks, of.verdicts).message, whole);
}

}  // namespace
}  // namespace fairway::risk
