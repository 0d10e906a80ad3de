// SPDX-License-Identifier: Apache-2.0

#include "graph/internal/withheld.h"

#include <gtest/gtest.h>

#include "fixture.h"

namespace fairway::graph {
namespace {

/// The terms of tests/graph/data/withheld.json.
Withheld terms_of(const json::Value& table) {
  std::vector<Withheld::Term> terms;
  const auto add = [&](std::string_view key, bool hidden, bool is_version) {
    for (const auto& text : json::find(table, key)->as_array())
      terms.push_back({std::string(text.as_string()), hidden, is_version});
  };
  add("hidden_names", true, false);
  add("hidden_versions", true, true);
  add("shown_names", false, false);
  add("shown_versions", false, true);
  for (const auto& [path, told] : json::find(table, "renamed")->as_object())
    terms.push_back({std::string(path), true, false, std::string(told.as_string())});
  return Withheld(std::move(terms));
}

TEST(Withheld, LeavesOfEachTextWhatTheTableSays) {
  const auto table = testing::read_data("withheld.json");
  const Withheld withheld = terms_of(table);
  for (const auto& entry : json::find(table, "cases")->as_array()) {
    const std::string text(entry.at(0).as_string()), left(entry.at(1).as_string());
    EXPECT_EQ(withheld.redact(text), left) << text;
    EXPECT_EQ(withheld.mentions(text), text != left) << text;
  }
}

TEST(Withheld, LeavesEveryTextAsItIsWhereNothingIsHidden) {
  for (const Withheld& nothing : {Withheld(), Withheld({{"stable-4.7", false}, {"", true}})}) {
    EXPECT_TRUE(nothing.empty());
    EXPECT_FALSE(nothing.mentions("stable-4.7"));
    EXPECT_EQ(nothing.redact("stable-4.7"), "stable-4.7");
  }
}

}  // namespace
}  // namespace fairway::graph
