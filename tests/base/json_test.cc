// SPDX-License-Identifier: Apache-2.0

#include "base/json.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/json_unambiguous.h"

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

TEST(Json, TakesNoKeyTwiceWhereThatWouldBeAmbiguous) {
  std::string many = "{";
  for (int i = 0; i < 100; ++i) many += "\"k" + std::to_string(i) + "\":{\"k0\":1},";
  for (const std::string& text : {std::string("{}"), std::string(R"([{"a":1,"b":{"a":1}},{"a":2}])"),
                                  std::string(R"({"a":1,"A":2,"a\n":3,"":4})"), many + "\"x\":1}"})
    EXPECT_EQ(to_text(parse_unambiguous(text).value()), to_text(parse(text).value()));
  const std::string long_key(10'000, 'k');
  for (const auto& [text, key] : std::vector<std::pair<std::string, std::string>>{
           {R"({"a":1,"a":1})", "a"},
           {"[{\"a\":{\"b\":1},\n\"c\":2,\"a\":[]}]", "a"},
           {R"({"x":{"b":[{"b":0,"\u0062":1}]}})", "b"},
           {R"({"":0,"":1})", ""},
           {many + "\"k7\":1}", "k7"},
           {many + "\"x\":{" + many.substr(1) + "\"k99\":1}}", "k99"}}) {
    const auto read = parse_unambiguous(text);
    ASSERT_FALSE(read) << text;
    EXPECT_NE(read.error().message.find("the key '" + key + "' stands twice in one object"),
              std::string::npos)
        << read.error().message;
    EXPECT_TRUE(parse(text));
  }
  EXPECT_FALSE(parse_unambiguous("{\"" + long_key + "\":1,\"" + long_key + "\":2}"));
  EXPECT_NE(parse_unambiguous("{\"a\":1").error().message.find("too early"), std::string::npos);
}

TEST(Json, IsReadDeeperThanPeopleNest) {
  const auto nested = [](std::size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); };
  const auto deep = parse(nested(512));
  ASSERT_TRUE(deep.has_value());
  EXPECT_EQ(to_text(*deep), nested(512));
  EXPECT_FALSE(parse(nested(513)).has_value());
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
