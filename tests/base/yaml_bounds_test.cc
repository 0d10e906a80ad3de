// SPDX-License-Identifier: Apache-2.0

// What a text costs is bounded by its size: aliases add a multiple of it, and nesting ends.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <string>

#include "base/yaml.h"

namespace fairway::yaml {
namespace {

struct Size {
  std::size_t nodes = 0, bytes = 0;
};

void add(Size& size, const Node& node) {
  ++size.nodes;
  size.bytes += node.scalar.size();
  for (const Node& item : node.items) add(size, item);
  for (const auto& [key, value] : node.entries) {
    add(size, key);
    add(size, value);
  }
}

Size size_of(const Parsed& parsed) {
  Size size;
  for (const Node& document : parsed.documents) add(size, document);
  return size;
}

/// Returns the peak memory of this process so far, in kilobytes.
long peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

std::string refused(const std::string& text) {
  const auto parsed = parse(text);
  if (!parsed) return "line " + std::to_string(parsed.error().mark.line) + ": " + parsed.error().message;
  return "read as " + std::to_string(size_of(*parsed).nodes) + " nodes of " +
         std::to_string(size_of(*parsed).bytes) + " bytes";
}

std::string numbered(const char* before, int i, const char* behind = "") {
  return before + std::to_string(i) + behind;
}

TEST(YamlBounds, AreNotMetByAFileOfManyLines) {
  std::string text;
  int lines = 0;
  for (int i = 0; lines < 78'000; ++i) {
    text += "---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: " +
            numbered("w", i, ".example.com\nspec:\n  properties:\n");
    lines += 7;
    for (int property = 0; property < 1000; ++property, lines += 3) {
      text +=
          numbered("    property", property, ":\n      description: what it is for\n      type: string\n");
    }
  }
  const auto parsed = parse(text);
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_GT(size_of(*parsed).nodes, 150'000u);
  EXPECT_EQ(parsed->documents.size(), 26u);
}

TEST(YamlBounds, LetAliasesAddAMultipleOfTheText) {
  // A list of a hundred texts, ten times.
  std::string text = "base: &base [";
  for (int i = 0; i < 100; ++i) text += numbered("text", i, ", ");
  text += "]\n";
  for (int i = 0; i < 10; ++i) text += numbered("copy", i, ": *base\n");
  const auto parsed = parse(text);
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->documents[0].find("copy9")->items.size(), 100u);
}

TEST(YamlBounds, EndWhatAliasesAdd) {
  // Ten times ten times ten ...
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    bomb += numbered("a", i, ": &a") + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) bomb += numbered(j > 0 ? ", *a" : "*a", i - 1);
    bomb += "]\n";
  }
  EXPECT_EQ(
      refused(bomb),
      "line 5: with the alias *a3 aliases add 101218 nodes; the limit is 100000 nodes for a text of 570 "
      "bytes (are aliases nested?)");

  // One long text, again and again: few nodes.
  std::string long_text = "a: &long " + std::string(100'000, 'x') + "\nb:\n";
  for (int i = 0; i < 9'000; ++i) long_text += "- *long\n";
  EXPECT_EQ(
      refused(long_text),
      "line 20: with the alias *long aliases add 1800000 bytes; the limit is 1720130 bytes for a text of "
      "172013 bytes (are aliases nested?)");
}

TEST(YamlBounds, LetUnusedAnchorsCostNothing) {
  // Each level is anchored and holds all that is below it: copies of all of them would be 60 times the text.
  std::string text;
  for (int i = 0; i < 60; ++i) text += numbered("&a", i, " [");
  for (int i = 0; i < 65'600; ++i) text += "a, ";
  text += std::string(60, ']');
  ASSERT_LT(text.size(), 198'000u);
  const long before = peak_memory();
  const auto parsed = parse(text);
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(size_of(*parsed).nodes, 65'660u);
  EXPECT_LT(peak_memory() - before, 150'000) << "kilobytes";
}

TEST(YamlBounds, EndNestingThatAliasesMake) {
  std::string text = "a0: &a0 [x]\n";
  for (int i = 1; i < 100; ++i) {
    text += numbered("a", i, ": &a") + std::to_string(i) + numbered(" [*a", i - 1, "]\n");
  }
  EXPECT_EQ(refused(text), "line 64: with the alias *a62 this is nested more than 64 levels deep");
  EXPECT_EQ(refused(std::string(10'000, '[') + std::string(10'000, ']')),
            "line 1: nested more than 64 levels deep");
  EXPECT_EQ(refused(std::string(10'000, '{')), "line 1: nested more than 64 levels deep");
  std::string blocks;
  for (int i = 0; i < 200; ++i) blocks += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  EXPECT_EQ(refused(blocks), "line 65: nested more than 64 levels deep");
}

TEST(YamlBounds, TakeLargeTextsAndManyDocuments) {
  const auto large = parse("a: \"" + std::string(5'000'000, 'x') + "\"\n");
  ASSERT_TRUE(large) << large.error().message;
  EXPECT_EQ(large->documents[0].find("a")->scalar.size(), 5'000'000u);
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += "--- &a x\n";
  const auto many = parse(text);
  ASSERT_TRUE(many) << many.error().message;
  EXPECT_EQ(many->documents.size(), 50'000u);
}

// libyaml compares each with all before it.
TEST(YamlBounds, EndTagDirectives) {
  std::string text = "# %TAG\n";
  for (int i = 0; i < 100; ++i) text += numbered("%TAG !", i, "! tag:example.com,2026:\n");
  EXPECT_EQ(refused(text + "--- a\n"), "read as 1 nodes of 1 bytes");
  EXPECT_EQ(refused(text + "%TAG !x! tag:example.com,2026:\n--- a\n"), "line 102: more than 100 %TAG lines");
}

// Where an anchored node stands: in lists and mappings that are open or complete, as a key, as a value.
TEST(YamlBounds, LetAliasesStandForWhatIsAnywhereBeforeThem) {
  for (const auto& [text, expected] : std::initializer_list<std::pair<const char*, const char*>>{
           {"a: &x {k: 1}\nb: *x\n", R"({"a":{"k":1},"b":{"k":1}})"},
           {"[&x 1, [[&y [2, &z 3]], *z, *y], *x, *y, *z]", "[1,[[[2,3]],3,[2,3]],1,[2,3],3]"},
           {"&k key: &v value\nv: *v\n*k : 2\n", R"({"key":2,"v":"value"})"},
           {"&k key: *k\n", R"({"key":"key"})"},
           {"&k key: [*k, {a: *k}]\n", R"({"key":["key",{"a":"key"}]})"},
           {"{a: [{b: &x {c: [&y z]}}], d: *x, e: *y}",
            R"({"a":[{"b":{"c":["z"]}}],"d":{"c":["z"]},"e":"z"})"},
           {"? [&x 1, 2]\n: *x\n", R"({"~":1})"},
           {"? {a: [&x 1]}\n: [*x]\n", R"({"~":[1]})"},
           {"[&x 1, &x 2, *x, &x [3, *x], *x]", "[1,2,2,[3,2],[3,2]]"},
           {"[&x [1], [*x, &y [*x]], *y]", "[[1],[[1],[[1]]],[[1]]]"},
           {"[&x ~, *x]", "[null,null]"},
           {"[&x , *x]", "[null,null]"}}) {
    const auto parsed = parse(text);
    ASSERT_TRUE(parsed) << text << ": " << parsed.error().message;
    EXPECT_EQ(json::to_text(to_json(parsed->documents[0])), expected) << text;
  }
  for (const char* text : {"[*x]", "&x [*x]", "a: &x {b: *x}", "--- [&x 1]\n--- [*x]\n", "[*x, &x 1]"}) {
    const auto parsed = parse(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_NE(parsed.error().message.find("the alias *x names no anchor that is complete"), std::string::npos)
        << parsed.error().message;
  }
}

}  // namespace
}  // namespace fairway::yaml
