// SPDX-License-Identifier: Apache-2.0

#include "base/yaml.h"

#include <gtest/gtest.h>

namespace fairway::yaml {
namespace {

// A lenient reader takes these for something else than their author meant, and a block would vanish.
TEST(Yaml, RefusesWhatIsCutOffOrMixed) {
  for (const std::string_view bad :
       {"to: 1\nfrom: \"unfinished\n", "from: 'unfinished\nto: 3\n", "a: [1, 2\n", "- a\nb: 1\n",
        "a: 1\n- b\n", "a: \"x\" y\n", "a: b: c\n", "a: @x\n", "a: *x\n", "\ta: 1\n"}) {
    EXPECT_FALSE(parse(bad)) << bad;
  }
}

TEST(Yaml, KnowsWhereEachNodeBegins) {
  const auto parsed = parse("# a comment\nto: 4.7.4\nrules:\n- type: Always\n");
  ASSERT_TRUE(parsed);
  ASSERT_EQ(parsed->documents.size(), 1u);
  const Node& root = parsed->documents[0];
  ASSERT_NE(root.find("to"), nullptr);
  EXPECT_EQ(root.find("to")->mark.line, 2);
  EXPECT_EQ(root.find("to")->mark.column, 5);
  EXPECT_EQ(root.find("rules")->items[0].find("type")->mark.line, 4);
  EXPECT_EQ(root.find("nothing"), nullptr);
}

TEST(Yaml, SeesDuplicateKeysAtEveryLevel) {
  const auto parsed = parse("from: a\nfrom: b\ninner:\n  x: 1\n  x: 2\n");
  ASSERT_TRUE(parsed);
  ASSERT_EQ(parsed->duplicate_keys.size(), 2u);
  EXPECT_EQ(parsed->duplicate_keys[0].key, "from");
  EXPECT_EQ(parsed->duplicate_keys[0].first.line, 1);
  EXPECT_EQ(parsed->duplicate_keys[0].repeated.line, 2);
  EXPECT_EQ(parsed->duplicate_keys[1].key, "x");
}

TEST(Yaml, ReadsSeveralDocumentsAndEmptyOnes) {
  EXPECT_EQ(parse("to: 1\n---\nto: 2\n")->documents.size(), 2u);
  EXPECT_TRUE(parse("")->documents.empty());
  EXPECT_TRUE(parse("# only a comment\n")->documents.empty());
}

TEST(Yaml, GivesPlainScalarsTheirCoreSchemaTypes) {
  const auto parsed = parse(
      "{a: 12, b: '12', c: true, d: ~, e: 4.5, f: 4.10.1, h: !!str 7, i: -3, j: "
      ".inf, k: "
      "0x10, l: yes}");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(json::to_text(to_json(parsed->documents[0])),
            R"({"a":12,"b":"12","c":true,"d":null,"e":4.5,"f":"4.10.1","h":"7","i":-3,)"
            R"("j":".inf","k":16,"l":"yes"})");
}

TEST(Yaml, ExpandsAliasesButNotBombs) {
  const auto parsed = parse("a: &x {k: 1}\nb: *x\n");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(json::to_text(to_json(parsed->documents[0])), R"({"a":{"k":1},"b":{"k":1}})");

  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string previous = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) bomb += (j > 0 ? ", " : "") + previous;
    bomb += "]\n";
  }
  const auto refused = parse(bomb);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("100000 nodes"), std::string::npos);
}

TEST(Yaml, RefusesDeepNestingAndSaysWhere) {
  EXPECT_FALSE(parse(std::string(100, '[') + std::string(100, ']')));
  EXPECT_FALSE(parse(std::string(100'000, '[')));
  EXPECT_TRUE(parse(std::string(60, '[') + std::string(60, ']')));
}

TEST(Yaml, NamesTheLineOfAFault) {
  const auto broken = parse("to: 4.1.0\nfrom: \"unfinished\n");
  ASSERT_FALSE(broken);
  EXPECT_GE(broken.error().mark.line, 2);
  const auto bytes = parse("to: 4.1.0\nmessage: \xff\n");
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().mark.line, 2);
  EXPECT_NE(bytes.error().message.find("UTF-8"), std::string::npos);
}

}  // namespace
}  // namespace fairway::yaml
