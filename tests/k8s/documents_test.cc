// SPDX-License-Identifier: Apache-2.0

// Files of objects: what kubectl makes of their scalars was seen with kubectl 1.36 (`create
// --dry-run=client`).
#include "k8s/documents.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "support/table.h"

namespace fairway::k8s {
namespace {

std::string read(const std::string& text) {
  const auto documents = read_documents(text);
  if (!documents) return "error: " + documents.error().message;
  std::string out;
  for (const Document& document : *documents) {
    if (!out.empty()) out += '\n';
    out += std::to_string(document.line) + ' ' + json::to_text(document.value);
  }
  return out;
}

TEST(Documents, HaveTheScalarsThatKubectlReads) {
  for (const auto& [plain, expected] :
       std::vector<std::pair<std::string, std::string>>{{"017", "15"},
                                                        {"0644", "420"},
                                                        {"0x1F", "31"},
                                                        {"0o17", "15"},
                                                        {"0b101", "5"},
                                                        {"-0x10", "-16"},
                                                        {"+12", "12"},
                                                        {"1_000", "1000"},
                                                        {"08", "8"},
                                                        {"1e3", "1000.0"},
                                                        {"1.50", "1.5"},
                                                        {".5", "0.5"},
                                                        {"9223372036854775807", "9223372036854775807"},
                                                        {"-9223372036854775808", "-9223372036854775808"},
                                                        {"18446744073709551615", "18446744073709551615"},
                                                        {"on", "true"},
                                                        {"yes", "true"},
                                                        {"y", "true"},
                                                        {"NO", "false"},
                                                        {"off", "false"},
                                                        {"True", "true"},
                                                        {"yEs", R"("yEs")"},
                                                        {"~", "null"},
                                                        {"2026-11-22", R"("2026-11-22")"},
                                                        {"1.2.3", R"("1.2.3")"},
                                                        {"0x", R"("0x")"},
                                                        {"0xg", R"("0xg")"},
                                                        {"1e-400", "0.0"},
                                                        {"2.0", "2.0"},
                                                        {"0999", "999"},
                                                        {"18446744073709552000", "18446744073709552000.0"},
                                                        {"'.inf'", R"(".inf")"},
                                                        {".infinity", R"(".infinity")"},
                                                        {"10Gi", R"("10Gi")"},
                                                        {"'017'", R"("017")"},
                                                        {"\"yes\"", R"("yes")"},
                                                        {"!!str 1", R"("1")"}}) {
    EXPECT_EQ(read("a: " + plain + "\n"), "1 {\"a\":" + expected + "}") << plain;
  }
}

TEST(Documents, HaveNoNumbersOutOfRange) {
  for (const std::string& number : std::vector<std::string>{
           "1e999", "-1.5e400", "1_0e999", "99999999999999999999", "99_999_999_999_999_999_999",
           "0999999999999999999999", "-9223372036854775809", "18446744073709551616", "0x10000000000000000",
           "-0xFFFFFFFFFFFFFFFF", "0b1" + std::string(64, '0'), "07777777777777777777777"}) {
    const std::string text = read("# a comment\na: " + number + "\n");
    EXPECT_TRUE(text.starts_with("error: line 2: the number ")) << number << ": " << text;
    EXPECT_NE(text.find(" is beyond "), std::string::npos) << text;
    EXPECT_NE(text.find("quote it if it is a text"), std::string::npos) << text;
    EXPECT_EQ(read("a: '" + number + "'\n"), "1 {\"a\":\"" + number + "\"}");
  }
  EXPECT_TRUE(read("? 99999999999999999999\n: 1\n").starts_with("error: line 1: the number "));
  EXPECT_TRUE(read(R"({"a":1e999})").starts_with("error: line 1: the number 1e999 is beyond"));
}

TEST(Documents, HaveNoNumbersThatJsonLacks) {
  for (const std::string number :
       {".inf", ".Inf", ".INF", "-.inf", "+.Inf", "-.INF", ".nan", ".NaN", ".NAN"}) {
    EXPECT_EQ(read("# a comment\na: [" + number + "]\n"),
              "error: line 2: JSON has no number " + number + "; quote it if it is a text");
    EXPECT_EQ(read("a: '" + number + "'\n"), "1 {\"a\":\"" + number + "\"}");
  }
  // As a key it is a name, for kubectl, too.
  EXPECT_EQ(read(".inf: 1\n"), R"(1 {".inf":1})");
}

TEST(Documents, GiveOneHint) {
  for (const std::string text : {"a: 99999999999999999999\n", R"({"a": 99999999999999999999})"}) {
    EXPECT_EQ(read(text),
              "error: line 1: the number 99999999999999999999 is beyond 64 bits, and would be rounded; "
              "quote it if it is a text");
  }
}

TEST(Documents, HaveTheTypesThatTheirTagsSayAsTheTableSays) {
  for (const auto& row :
       fairway::testing::read_table(std::string(FAIRWAY_SOURCE_DIR) + "/tests/base/data/yaml_tags.tsv")) {
    const std::string text = read("# a comment\na: " + row.at(0) + "\n");
    if (row.at(1) != "error") {
      EXPECT_EQ(text, "2 {\"a\":" + row.at(1) + "}") << row.at(0);
    } else {
      EXPECT_TRUE(text.starts_with("error: line 2: ")) << row.at(0) << ": " << text;
      EXPECT_NE(text.find(row.at(2)), std::string::npos) << row.at(0) << ": " << text;
    }
  }
  EXPECT_EQ(read("{a: !custom 5}").substr(0, 36), "error: line 1: the tag !custom is no");
}

TEST(Documents, HaveTheKeysThatKubectlReads) {
  EXPECT_EQ(read("on: 1\n017: 2\n'off': 3\n"), R"(1 {"true":1,"15":2,"off":3})");
  EXPECT_EQ(read("~: 4\n"), "error: line 1: a key must be a text");
  EXPECT_EQ(read("yes: 1\non: 2\n"),
            "error: line 2: 'true' stands here again, and one of them would be lost");
  EXPECT_EQ(read("a: 1\na: 2\n"),
            "error: line 2: 'a' stands here again; it was set at line 1, and one of them would be lost");
  EXPECT_EQ(read("x: &x {a: 1}\ny2:\n  <<: *x\n"),
            "error: line 3: merge keys (<<) are not read: write the fields out, or quote the key");
  EXPECT_EQ(read("'<<': 1\n"), R"(1 {"<<":1})");
}

TEST(Documents, HaveTheLastOfDuplicateKeysForThoseWhoTakeThem) {
  const auto documents =
      read_documents("a: 1\nb: {c: 1, c: 2}\na:\n  d: 3\n---\ne: 1\n", DuplicateKeys::last_wins);
  ASSERT_TRUE(documents) << documents.error().message;
  ASSERT_EQ(documents->size(), 2U);
  EXPECT_EQ(json::to_text(documents->front().value), R"({"a":{"d":3},"b":{"c":2}})");
  EXPECT_EQ(documents->front().duplicate_keys,
            (std::vector<std::string>{"line 2: key \"c\" already set in map",
                                      "line 4: key \"a\" already set in map"}));
  EXPECT_TRUE(documents->back().duplicate_keys.empty());
}

TEST(Documents, AreYamlOrJson) {
  EXPECT_EQ(read("---\na: 1\n---\n---\nb: [yes]\n"), "2 {\"a\":1}\n5 {\"b\":[true]}");
  EXPECT_EQ(read(""), "");
  EXPECT_EQ(read(R"({"face":"\ud83d\ude00","del":")" + std::string(1, '\x7f') + "\"}"),
            "1 {\"face\":\"\U0001F600\",\"del\":\"\x7f\"}");
  const std::string deep = std::string(100, '[') + std::string(100, ']');
  EXPECT_EQ(read(deep), "1 " + deep);
  EXPECT_TRUE(read("{\"a\":").starts_with("error: ")) << read("{\"a\":");
  EXPECT_TRUE(read("a: [").starts_with("error: line 2: ")) << read("a: [");
}

}  // namespace
}  // namespace fairway::k8s
