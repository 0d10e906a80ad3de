#include "base/json.h"

#include <gtest/gtest.h>

namespace fairway::json {
namespace {

TEST(Json, KeepsKeyOrderAndExactIntegers) {
  const std::string text = R"({"z":18446744073709551615,"a":-9223372036854775808,"m":[1,null,true,"é"]})";
  EXPECT_EQ(to_text(parse(text).value()), text);
}

TEST(Json, NamesLineAndColumnOfAFault) {
  const auto broken = parse("{\n  \"a\": 1,\n  \"b\" 2\n}");
  ASSERT_FALSE(broken);
  EXPECT_NE(broken.error().message.find("line 3"), std::string::npos) << broken.error().message;
  EXPECT_FALSE(parse(""));
  EXPECT_FALSE(parse("{}x"));
  EXPECT_TRUE(parse(" {} \n"));
  EXPECT_FALSE(parse("{\"a\":\"\xff\"}"));
  EXPECT_FALSE(parse(std::string(1'000'000, '[')));
}

TEST(Json, QuotesEveryControlCharacter) {
  std::string out;
  append_quoted(out, std::string("a\"b\\c\n\t\r\b\f\x01é", 13));
  EXPECT_EQ(parse(out).value().as_string(), std::string("a\"b\\c\n\t\r\b\f\x01é", 13));
}

TEST(Json, WritesIndentedTextForPeople) {
  EXPECT_EQ(to_pretty_text(parse(R"({"a":[1,{}],"b":{}})").value()),
            "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": {}\n}\n");
}

}  // namespace
}  // namespace fairway::json
