// SPDX-License-Identifier: Apache-2.0

// JSON in pieces: wherever it is cut, what comes of it is the same.
#include "base/json_stream.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "base/json_compact.h"

namespace fairway::json {
namespace {

/// Returns the values, one a line, and the error at the end.
std::string read_stream(std::string_view text, std::size_t step, std::size_t limit = 1 << 20) {
  std::string out;
  StreamReader reader(limit, [&](const Value& value) -> Result<void> {
    out += to_text(value) + "\n";
    return {};
  });
  for (; !text.empty(); text.remove_prefix(std::min(step, text.size()))) {
    if (auto fed = reader.feed(text.substr(0, step)); !fed) return out + fed.error().message;
  }
  if (auto finished = reader.finish(); !finished) return out + finished.error().message;
  return out;
}

std::string read_list(std::string_view text, std::size_t step) {
  std::string out;
  ListReader reader("items", [&](const Value& value) -> Result<void> {
    out += to_text(value) + "\n";
    return {};
  });
  for (; !text.empty(); text.remove_prefix(std::min(step, text.size()))) {
    if (auto fed = reader.feed(text.substr(0, step)); !fed) return out + fed.error().message;
  }
  const auto rest = reader.finish();
  return out + (rest ? to_text(*rest) : rest.error().message);
}

struct Case {
  const char* text;
  const char* expected;
};

TEST(JsonStreamTest, ReadsValuesHoweverTheyAreCut) {
  for (const auto& [text, expected] : std::initializer_list<Case>{
           {"", ""},
           {" \n ", ""},
           {R"({"a":1}{"b":[]})", "{\"a\":1}\n{\"b\":[]}\n"},
           {"{\"a\":\"\\u00e9\\ud83d\\ude00x\"}\r\n\n[18446744073709551615]\n",
            "{\"a\":\"\xC3\xA9\xF0\x9F\x98\x80x\"}\n[18446744073709551615]\n"},
           {R"({"a":1}{"b":)", "{\"a\":1}\nthe stream ends in the middle of a value"},
           {R"({"a":1} <html>)", "{\"a\":1}\nnot JSON: byte 9: syntax error"},
       }) {
    for (std::size_t step = 1; step < 40; ++step)
      EXPECT_EQ(read_stream(text, step), expected) << text << step;
  }
}

TEST(JsonStreamTest, HoldsNoMoreThanIsAllowed) {
  const std::string text = "{\"a\":1}{\"a\":\"" + std::string(100, 'x') + "\"}";
  for (const std::size_t step : {1, 7, 200}) {
    EXPECT_EQ(read_stream(text, step, 50),
              "{\"a\":1}\na value of the stream is larger than the 50 bytes allowed");
  }
}

TEST(JsonStreamTest, StopsAtWhatIsRefused) {
  int seen = 0;
  StreamReader reader(100, [&](const Value&) -> Result<void> {
    if (++seen == 2) return fail(ErrorCode::conflict, "enough");
    return {};
  });
  EXPECT_EQ(reader.feed("{}{}{}").error().message, "enough");
  EXPECT_EQ(reader.feed("{}").error().message, "enough");
  EXPECT_EQ(seen, 2);
}

TEST(JsonStreamTest, FindsAListBehindOtherObjects) {
  const auto read = [](std::string_view text, std::size_t step) {
    std::string out;
    const ListReader* so_far = nullptr;
    ListReader reader(std::vector<std::string>{"request", "objects"},
                      [&](const Value& value) -> Result<void> {
                        out += std::string(so_far->text("request.uid")) + std::string(so_far->text("kind")) +
                               to_text(value) + " ";
                        return {};
                      });
    so_far = &reader;
    for (; !text.empty(); text.remove_prefix(std::min(step, text.size()))) {
      if (auto fed = reader.feed(text.substr(0, step)); !fed) return out + fed.error().message;
    }
    const auto rest = reader.finish();
    return out + (rest ? to_text(*rest) : rest.error().message);
  };
  for (
      const auto& [text, expected] : std::initializer_list<Case>{
          {R"({"kind":"K","request":{"uid":"u","objects":[1,{"objects":[2]},[0.30000000000000004]]},"objects":[3]})",
           R"(uK1 uK{"objects":[2]} uK[0.30000000000000004] )"
           R"({"kind":"K","request":{"uid":"u","objects":[]},"objects":[3]})"},
          {R"({"other":{"objects":[1]},"request":[{"objects":[2]}]})",
           R"({"other":{"objects":[1]},"request":[{"objects":[2]}]})"},
          {R"({"request":{"x":{"objects":[1]},"objects":[2]}})",
           R"(2 {"request":{"x":{"objects":[1]},"objects":[]}})"},
          {R"({"request":{"objects":{"objects":[1]}}})", R"({"request":{"objects":{"objects":[1]}}})"},
          {R"({"request":{"objects":[1]},"request":{"objects":[2]}})", "1 the list `objects` is there twice"},
      }) {
    for (std::size_t step = 1; step < 120; step += 7) EXPECT_EQ(read(text, step), expected) << text << step;
  }
}

TEST(JsonStreamTest, ReadsAListItemByItem) {
  for (const auto& [text, expected] : std::initializer_list<Case>{
           {R"({"kind":"L","items":[{"items":[1]},{"a":{"b":"c"}},3,"x",null,[[]]],"m":{"items":[4]}})",
            "{\"items\":[1]}\n{\"a\":{\"b\":\"c\"}}\n3\n\"x\"\nnull\n[[]]\n"
            R"({"kind":"L","items":[],"m":{"items":[4]}})"},
           {R"({"items":[]})", R"({"items":[]})"},
           {R"({"items":null})", R"({"items":null})"},
           {R"([{"items":[1]}])", R"([{"items":[1]}])"},
           {R"({"items":[{"a":1},{"b":)", "{\"a\":1}\nnot JSON: the text ends too early"},
           {R"({"items":[{"a":1}]}x)", "{\"a\":1}\nnot JSON: byte 20: extra data"},
       }) {
    for (std::size_t step = 1; step < 100; ++step) EXPECT_EQ(read_list(text, step), expected) << text << step;
  }
}

TEST(JsonCompactTest, IsTheSameDocument) {
  const auto value = parse(
      R"({"a":{"b":["long enough for memory of its own",-1,18446744073709551615,1.5,true,null]},"c":"d"})");
  ASSERT_TRUE(value);
  const Object copy = compact(value->get_object());
  EXPECT_EQ(to_text(copy), to_text(*value));
}

TEST(JsonCompactTest, CopiesMayBeChangedOnAnyThreadAndOutliveIt) {
  std::vector<Object> copies;
  {
    const Object original =
        compact(parse(R"({"a":{"b":"a text that is longer than a short one"}})")->get_object());
    std::vector<std::thread> threads;
    copies.resize(4);
    threads.reserve(copies.size());
    for (Object& place : copies) {
      threads.emplace_back([&place, &original] {
        Object copy(original);
        for (int i = 0; i < 100; ++i) copy["key " + std::to_string(i)] = original.at("a");
        place = copy;
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  for (const Object& copy : copies) {
    EXPECT_EQ(copy.size(), 101U);
    EXPECT_EQ(to_text(copy.at("key 99")), R"({"b":"a text that is longer than a short one"})");
  }
}

}  // namespace
}  // namespace fairway::json
