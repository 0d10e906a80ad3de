// SPDX-License-Identifier: Apache-2.0

#include "promql/parser/printer.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "base/go_text.h"
#include "promql/parser/go_text.h"
#include "promql/parser/parser.h"

namespace fairway::promql {
namespace {

/// Generates random valid queries: each method gives a text of its type.
class Queries {
 public:
  explicit Queries(unsigned seed) : random_(seed) {}

  std::string any() { return below(4) == 0 ? scalar(4) : vector(4); }

  std::string vector(int depth) {
    if (depth == 0) return selector();
    switch (below(9)) {
      case 0:
        return pick({"sum", "avg", "count", "group", "stddev", "MAX"}) + grouping() + "(" +
               vector(depth - 1) + ")";
      case 1:
        return pick({"topk", "bottomk", "quantile"}) + grouping() + "(" + scalar(depth - 1) + ", " +
               vector(depth - 1) + ")";
      case 2:
        return "count_values(" + string() + "," + vector(depth - 1) + ")" + grouping();
      case 3:
        return pick({"rate", "avg_over_time", "absent_over_time", "changes"}) + "(" + matrix(depth - 1) + ")";
      case 4:
        return pick({"abs", "absent", "sort", "timestamp", "hour"}) + "(" + vector(depth - 1) + ")";
      case 5:
        return "(" + vector(depth - 1) + ")";
      case 6:
        return pick({"-", "+", "- -"}) + vector(depth - 1);
      case 7:
        return vector(depth - 1) + pick({" and ", " or ", " unless "}) +
               pick({"", "on (a) ", "ignoring () "}) + vector(depth - 1);
      default:
        return vector(depth - 1) + " " + pick({"+", "-", "*", "/", "%", "^", "==", "> bool", "<=", "atan2"}) +
               " " + pick({"", "on (a, b) group_left (c) ", "ignoring (a) group_right () ", "on () "}) +
               vector(depth - 1);
    }
  }

 private:
  std::string scalar(int depth) {
    if (depth > 0 && below(3) == 0)
      return scalar(depth - 1) + " " + pick({"+", "-", "*", "/", "%", "^", "== bool", "<bool"}) + " " +
             scalar(depth - 1);
    if (depth > 0 && below(4) == 0) return "-" + scalar(depth - 1);
    if (depth > 0 && below(4) == 0) return "scalar(" + vector(depth - 1) + ")";
    return pick(
        {"0", "1", "1.5", "-2", "0x1F", "1e9", ".5", "Inf", "NaN", "5m", "1h30m", "time()", "pi()", "1e-7"});
  }

  std::string matrix(int depth) {
    if (depth > 0 && below(2) == 0)
      return "(" + vector(depth - 1) + ")[" + pick({"1h", "90m", "1y", "300"}) + ":" +
             pick({"", "1m", "15"}) + "]" + shift();
    return name_and_matchers() + "[" + pick({"5m", "1d", "36h", "1.5", "2w"}) + "]" + shift();
  }

  std::string selector() { return name_and_matchers() + shift(); }

  std::string name_and_matchers() {
    const std::string matchers =
        pick({"", "{a=\"b\"}", "{b=~'x|y', a!=\"\"}", "{a!~`\\d`,}", "{\"quoted label\"=\"\\u263a\"}"});
    const std::string name = pick({"up", "job:rate:sum", "sum", "offset", "by", ""});
    if (!name.empty()) return name + matchers;
    return matchers.empty() ? "{\"quoted name\"}" : "{__name__=~\"x.+\"}";
  }

  std::string shift() {
    return pick({"", "", "", " offset 5m", " offset -1h", " @ 12.5", " @ start()", " @ end() offset 3",
                 " offset 1w @ 0"});
  }

  std::string grouping() { return pick({"", "", " by (a)", " without (a, \"b c\",)", " by ()"}); }
  std::string string() { return pick({"\"a\"", "'it\\'s'", "`raw\\`", "\"\\x00\\n\""}); }

  std::string pick(const std::vector<std::string>& from) { return from[below(from.size())]; }
  std::size_t below(std::size_t bound) { return random_() % bound; }

  std::mt19937 random_;
};

TEST(Printer, GivesATextThatParsesToTheSameTree) {
  Queries queries(7);
  for (int i = 0; i < 5000; ++i) {
    const std::string query = queries.any();
    const auto parsed = parse(query);
    ASSERT_TRUE(parsed) << query << ": " << to_string(parsed.error(), query);
    const std::string text = print(**parsed);
    const auto again = parse(text);
    ASSERT_TRUE(again) << query << " was printed as " << text;
    EXPECT_TRUE(same_tree(**parsed, **again)) << query << " was printed as " << text;
    EXPECT_EQ(print(**again), text);
  }
}

TEST(GoText, WritesNumbersAsGoDoes) {
  EXPECT_EQ(go_plain_number(1e23), "100000000000000000000000");
  EXPECT_EQ(go_plain_number(1.5e-7), "0.00000015");
  EXPECT_EQ(go_plain_number(-0.0), "-0");
  EXPECT_EQ(go_plain_number(123456.789), "123456.789");
  EXPECT_EQ(go_number(123456.789), "123456.789");
  EXPECT_EQ(go_number(12340000), "1.234e+07");
  EXPECT_EQ(go_number(0.00001), "1e-05");
}

TEST(GoText, WritesDurationsAsPrometheusDoes) {
  const std::vector<std::pair<std::int64_t, std::string>> cases = {
      {0, "0s"},           {90 * 60'000, "1h30m"},      {36 * 3'600'000, "1d12h"},
      {86'400'000, "1d"},  {14 * 86'400'000LL, "2w"},   {365 * 86'400'000LL, "1y"},
      {-1500, "-1s500ms"}, {366 * 86'400'000LL, "366d"}};
  for (const auto& [milliseconds, text] : cases) EXPECT_EQ(format_duration_text(milliseconds), text);
}

TEST(GoText, QuotesAsGoDoes) {
  EXPECT_EQ(quote("a\"b\\c\n\x01\xff\u00e9\u200b"), "\"a\\\"b\\\\c\\n\\x01\\xff\u00e9\\u200b\"");
  EXPECT_EQ(*unquote("'a\\'\\x41\\101\\u00e9'"), "a'AA\u00e9");
  EXPECT_FALSE(unquote("'a\\\"'"));
}

}  // namespace
}  // namespace fairway::promql
