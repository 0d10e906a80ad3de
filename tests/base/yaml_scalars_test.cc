// SPDX-License-Identifier: Apache-2.0

// What plain scalars and tags mean: the tables are tests/base/data/yaml_*.tsv.
#include <gtest/gtest.h>

#include <string>

#include "base/yaml.h"
#include "support/table.h"

namespace fairway::yaml {
namespace {

void check(const std::string& table) {
  for (const auto& row :
       fairway::testing::read_table(std::string(FAIRWAY_SOURCE_DIR) + "/tests/base/data/" + table)) {
    SCOPED_TRACE(row.at(0));
    const auto parsed = parse("# a comment\na: " + row.at(0) + "\n");
    if (row.at(1) != "error") {
      ASSERT_TRUE(parsed) << parsed.error().message;
      EXPECT_EQ(json::to_text(to_json(parsed->documents.at(0))), "{\"a\":" + row.at(1) + "}");
    } else if (parsed) {
      ADD_FAILURE() << "read as " << json::to_text(to_json(parsed->documents.at(0)));
    } else {
      EXPECT_NE(parsed.error().message.find(row.at(2)), std::string::npos) << parsed.error().message;
      EXPECT_EQ(parsed.error().mark.line, 2);
    }
  }
}

TEST(YamlScalars, AreNumbersOrRefusedAsTheTableSays) {
  check("yaml_numbers.tsv");
}

TEST(YamlScalars, HaveTheTypesThatTheirTagsSayAsTheTableSays) {
  check("yaml_tags.tsv");
}

TEST(YamlScalars, KnowTagsThatTheDocumentNames) {
  EXPECT_EQ(json::to_text(to_json(parse("%TAG !y! tag:yaml.org,2002:\n--- !y!str 5\n")->documents.at(0))),
            "\"5\"");
  EXPECT_FALSE(parse("%TAG !y! tag:example.com,2026:\n--- !y!str 5\n"));
}

}  // namespace
}  // namespace fairway::yaml
