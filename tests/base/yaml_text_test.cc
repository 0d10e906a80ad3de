// SPDX-License-Identifier: Apache-2.0

// YAML that is written: the characters are those of tests/base/data/yaml_characters.tsv.
#include "base/yaml_text.h"

#include <gtest/gtest.h>

#include <string>

#include "base/yaml.h"
#include "support/table.h"

namespace fairway {
namespace {

/// Reads a document back.
json::Value read(const std::string& text) {
  const auto parsed = yaml::parse(text);
  EXPECT_TRUE(parsed) << text;
  return parsed ? yaml::to_json(parsed->documents.at(0)) : json::Value();
}

TEST(YamlText, EscapesTheCharactersOfTheTable) {
  for (const auto& row : testing::read_table(FAIRWAY_SOURCE_DIR "/tests/base/data/yaml_characters.tsv")) {
    SCOPED_TRACE(row.at(0));
    const json::Value value = json::parse("\"-" + row.at(0) + "-\"").value();
    EXPECT_EQ(to_yaml(value), "\"-" + row.at(1) + "-\"\n");
    EXPECT_EQ(read(to_yaml(value)), value);
  }
}

TEST(YamlText, HasAQuestionMarkBeforeLongKeys) {
  const std::string key(1025, 'k');
  const auto with = [&](json::Value value) { return json::Value(json::Object{{key, std::move(value)}}); };
  EXPECT_EQ(to_yaml(with("v")), "? " + key + "\n: v\n");
  EXPECT_EQ(to_yaml(with(json::Object{{"a", 1}})), "? " + key + "\n:\n  a: 1\n");
  EXPECT_EQ(to_yaml(with(json::Array{1})), "? " + key + "\n:\n  - 1\n");
  const json::Value nested =
      with(json::Array{with(json::Array{1, with("v")}), with(json::Object{{"a", with(1)}}), "x"});
  EXPECT_EQ(read(to_yaml(nested)), nested);
  // A quote counts, and so do characters that become several.
  EXPECT_EQ(to_yaml(json::Object{{std::string(1024, 'k'), 1}}), std::string(1024, 'k') + ": 1\n");
  EXPECT_TRUE(to_yaml(json::Object{{std::string(1023, '1'), 1}}).starts_with("? \"1"));
  EXPECT_TRUE(to_yaml(json::Object{{std::string(600, '\n'), 1}}).starts_with("? \"\\n"));
}

TEST(YamlText, HasItsKeysInTheGivenOrderOrSorted) {
  const json::Value value = json::parse(R"({"b": [{"d": 1, "c": 2}], "a": {}})").value();
  EXPECT_EQ(to_yaml(value), "b:\n- d: 1\n  c: 2\na: {}\n");
  EXPECT_EQ(to_yaml(value, KeyOrder::sorted), "a: {}\nb:\n- c: 2\n  d: 1\n");
}

TEST(YamlText, TakesTimeInProportionToWhatIsEscaped) {
  const std::string text = to_yaml(json::Value(std::string(4'000'000, '\x7f')));
  EXPECT_EQ(text.size(), 6 * 4'000'000U + 3);
}

}  // namespace
}  // namespace fairway
