// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/kinds/typed_object.h"

#include <gtest/gtest.h>

#include <string>

#include "apiserver/internal/kinds/kinds.h"
#include "apiserver/internal/kinds/strict_fields.h"
#include "base/text.h"
#include "support/table.h"

namespace fairway::apiserver::kinds {
namespace {

/// Returns the type that a text names: "apps/v1 Deployment".
const MessageType& type_of(const std::string& text) {
  const auto words = split(text, ' ');
  const auto group_version = k8s::GroupVersion::parse(words.at(0));
  const MessageType* type =
      Kinds::find({group_version->group, group_version->version, std::string(words.at(1))});
  if (type == nullptr) throw std::runtime_error("no kind " + text);
  return *type;
}

TEST(TypedObjects, AreReadAndWrittenAsGoDoes) {
  for (const auto& row :
       fairway::testing::read_table(FAIRWAY_SOURCE_DIR "/tests/apiserver/data/typed_objects.tsv")) {
    SCOPED_TRACE("line " + std::to_string(row.line));
    const MessageType& type = type_of(row.at(0));
    const auto document = json::parse(row.at(1));
    ASSERT_TRUE(document);
    const auto read = read_typed(*document, type);
    EXPECT_EQ(read ? json::to_text(*read) : read.error().message, row.at(2));
    if (!read) continue;
    EXPECT_EQ(json::to_text(*read_typed(*read, type)), row.at(2)) << "read again";
  }
}

TEST(StrictFields, AreNamedInTheOrderOfTheText) {
  for (const auto& row :
       fairway::testing::read_table(FAIRWAY_SOURCE_DIR "/tests/apiserver/data/strict_fields.tsv")) {
    SCOPED_TRACE("line " + std::to_string(row.line));
    EXPECT_EQ(join(strict_field_errors(row.at(1), type_of(row.at(0))), ", "), row.at(2));
  }
}

TEST(StrictFields, AreAHundredAtMost) {
  std::string text = "{";
  for (int i = 0; i < 500; ++i) text += "\"x" + std::to_string(i) + "\":1,";
  EXPECT_EQ(strict_field_errors(text + "\"y\":1}", type_of("v1 Pod")).size(), 100u);
}

TEST(StrictFields, AreOnlyTheDuplicateOnesWhereNoFieldsAreKnown) {
  EXPECT_EQ(join(duplicate_field_errors(
                     R"({"a":1,"b":{"c":[{"d":1},{"d":1,"d":2}],"c":3},"a":{"b":1,"b":2,"b":3}})"),
                 ", "),
            "duplicate field \"b.c[1].d\", duplicate field \"b.c\", duplicate field \"a\", duplicate field "
            "\"a.b\"");
  EXPECT_TRUE(duplicate_field_errors("not json").empty());
}

TEST(StrictFields, AreNamedUpToABoundOfTheirPaths) {
  // A path of half a megabyte, a hundred thousand times.
  std::string text = "{\"" + std::string(500'000, 'x') + "\":{";
  for (int i = 0; i < 100'000; ++i) text += "\"a\":1,";
  EXPECT_EQ(duplicate_field_errors(text + "\"b\":1}}").size(), 1U);
  text = "{\"" + std::string(500'000, 'x') + "\":{";
  for (int i = 0; i < 100'000; ++i) text += "\"" + std::to_string(i / 2) + "\":1,";
  EXPECT_LE(duplicate_field_errors(text + "\"b\":1}}").size(), 3U);
}

}  // namespace
}  // namespace fairway::apiserver::kinds
