// SPDX-License-Identifier: Apache-2.0

#include "promql/engine/engine.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/go_text.h"
#include "promql/engine/exposition.h"
#include "promql/engine/result_json.h"
#include "promql/internal/parser/go_float.h"
#include "promql/parser/go_text.h"
#include "promql/parser/parser.h"
#include "promql/script/promqltest.h"

namespace fairway::promql {
namespace {

constexpr Timestamp minute = 60'000;

SeriesStore store_of(std::string_view script) {
  SeriesStore store;
  EXPECT_TRUE(load_script(script, store));
  return store;
}

/// Returns the result in one line: `{job="a"} 1; {job="b"} 2`, or the error.
std::string show(const std::string& query, const SeriesStore& store, Timestamp time,
                 const EngineOptions& options = {}) {
  const auto parsed = parse(query, options.dialect);
  if (!parsed) return to_string(parsed.error(), query, options.dialect);
  const auto result = instant_query(**parsed, query, store, time, options);
  if (!result) return "error: " + result.error().message;
  if (result->value.type == ValueType::scalar) return go_plain_number(result->value.scalar);
  std::string text;
  for (const Sample& sample : result->value.vector)
    text += (text.empty() ? "" : "; ") + sample.metric.to_string() + " " + go_plain_number(sample.value);
  return text;
}

EngineOptions two() {
  EngineOptions options;
  options.dialect = Dialect::prometheus2;
  return options;
}

TEST(Engine, TreatsTheEdgesOfRangesAsTheDialectDoes) {
  const SeriesStore store = store_of("load 1m\n  m 1 2 3 4 5 6\n");
  EXPECT_EQ(show("count_over_time(m[2m])", store, 5 * minute), "{} 2");
  EXPECT_EQ(show("count_over_time(m[2m])", store, 5 * minute, two()), "{} 3");
  EXPECT_EQ(show("m", store, 10 * minute), "");
  EXPECT_EQ(show("m", store, 10 * minute, two()), "{__name__=\"m\"} 6");
  EXPECT_EQ(show("count_over_time(m[2m:1m])", store, 5 * minute), "{} 2");
  EXPECT_EQ(show("count_over_time(m[2m:1m])", store, 5 * minute, two()), "{} 3");
}

TEST(Engine, LetsADotMatchALineEndOnlyInPrometheus3) {
  SeriesStore store;
  store.add(LabelSet::make({{"__name__", "m"}, {"a", "x\ny"}}), 0, 1);
  EXPECT_EQ(show("count(m{a=~\"x.y\"})", store, 0), "{} 1");
  EXPECT_EQ(show("count(m{a=~\"x.y\"})", store, 0, two()), "");
}

TEST(Engine, FillsTemplatesInAsGosExpandDoes) {
  SeriesStore store;
  store.add(LabelSet::make({{"__name__", "m"}, {"a", "xyz"}}), 0, 1);
  const auto made = [&](const std::string& replacement) {
    const std::string shown_all =
        show("label_replace(m, \"b\", \"" + replacement + "\", \"a\", \"(x)(?P<n1>y)(?P<1000000001>z)|(w)\")",
             store, 0);
    const std::size_t at = shown_all.find("b=\"");
    return at == std::string::npos ? std::string()
                                   : shown_all.substr(at + 3, shown_all.find('"', at + 3) - at - 3);
  };
  for (const auto& [replacement, wanted] :
       std::vector<std::pair<std::string, std::string>>{{"$1-$2", "x-y"},
                                                        {"${1}0", "x0"},
                                                        {"$10", ""},
                                                        {"${01}", ""},
                                                        {"$01", ""},
                                                        {"$0", "xyz"},
                                                        {"${n1}é", "yé"},
                                                        {"$n1é", ""},
                                                        {"$1é", ""},
                                                        {"$1٣", ""},
                                                        {"$$1", "$1"},
                                                        {"$", "$"},
                                                        {"$-", "$-"},
                                                        {"${1", "${1"},
                                                        {"${}", "${}"},
                                                        {"$4|", "|"},
                                                        {"$1_", ""},
                                                        {"${000000001}", ""},
                                                        {"${100000000}|", "|"},
                                                        {"${1000000001}", "z"},
                                                        {"a$", "a$"},
                                                        {"${1}${3}", "xz"}}) {
    EXPECT_EQ(made(replacement), wanted) << replacement;
  }
}

TEST(Engine, StopsLabelsThatGrowByPowers) {
  const SeriesStore store = store_of("load 1m\n  m{a=\"0123456789\"} 1\n");
  std::string joined = "m", replaced = "m";
  for (int i = 0; i < 30; ++i) {
    joined = "label_join(" + joined + ",\"a\",\"\",\"a\",\"a\",\"a\")";
    replaced = "label_replace(" + replaced + ",\"a\",\"$1$1$1\",\"a\",\"(.*)\")";
  }
  EXPECT_EQ(show(joined, store, 0), "error: label_join() makes labels of more than 1048576 bytes");
  EXPECT_EQ(show(replaced, store, 0), "error: label_replace() makes labels of more than 1048576 bytes");
}

TEST(Engine, ReadsRegularExpressionsAsGoDoes) {
  SeriesStore store;
  store.add(LabelSet::make({{"__name__", "m"}, {"a", "1"}}), 0, 1);
  const std::string matched = "{__name__=\"m\", a=\"1\"} 1";
  for (const std::string good : {"(?<n>1)", "(?P<n_1>1)", "[(?<n>]|1", R"(\\(\\?<n>|1)", R"(\\Q(?<\\E|1)",
                                 R"([\\]\\\\C]|1)", R"([]\\\\C]|1)", R"([[:alpha:]\\\\C]|1)", R"(\\\\C|1)"})
    EXPECT_EQ(show("m{a=~\"" + good + "\"}", store, 0), matched) << good;
  for (const auto& [wrong, why] :
       std::vector<std::pair<std::string, std::string>>{{R"(\\C)", R"(invalid escape sequence: `\C`)"},
                                                        {R"(1|[a]\\C)", R"(invalid escape sequence: `\C`)"},
                                                        {"(?<é>1)", "invalid named capture: `(?<é>`"},
                                                        {"(?P<é>1)", "invalid named capture: `(?P<é>`"},
                                                        {"(?<=1)", "invalid named capture: `(?P<=1)`"},
                                                        {"(?<>1)", "invalid named capture: `(?<>`"},
                                                        {R"(\xff)", "invalid UTF-8: `"},
                                                        {R"(\xff|1)", "invalid UTF-8: `"}}) {
    const std::string said = show("m{a=~\"" + wrong + "\"}", store, 0);
    EXPECT_NE(said.find("error parsing regexp: " + why), std::string::npos) << said;
  }
  EXPECT_NE(show("m{a=~\"(?<n>1)\"}", store, 0, two()).find("invalid or unsupported Perl syntax: `(?<`"),
            std::string::npos);
  EXPECT_EQ(show("m{a=~\"(?P<n>1)\"}", store, 0, two()), matched);
}

TEST(Engine, ReadsThePatternOfLabelReplaceAnchoredOnly) {
  SeriesStore store;
  store.add(LabelSet::make({{"__name__", "m"}, {"a", "xb"}}), 0, 1);
  for (const EngineOptions& options : {EngineOptions(), two()}) {
    EXPECT_EQ(show(R"q(label_replace(m, "c", "$1", "a", "(x)b|b)|(c"))q", store, 0, options),
              R"({__name__="m", a="xb", c="x"} 1)");
    EXPECT_EQ(show(R"q(label_replace(m, "c", "$1", "a", "(x)(b"))q", store, 0, options),
              "error: invalid regular expression in label_replace(): (x)(b");
    // The quotation takes in what anchors it.
    EXPECT_EQ(show(R"q(label_replace(m, "c", "$1", "a", "\\Qxb"))q", store, 0, options),
              R"(error: invalid regular expression in label_replace(): \Qxb)");
    EXPECT_NE(show(R"(m{a=~"(x)b|b)|(c"})", store, 0, options).find("unexpected )"), std::string::npos);
  }
}

TEST(Engine, EndsAnOpenQuotationWithTheExpressionInPrometheus3) {
  SeriesStore store;
  store.add(LabelSet::make({{"__name__", "m"}, {"a", "x.)$"}}), 0, 1);
  store.add(LabelSet::make({{"__name__", "m"}, {"a", "x."}}), 0, 2);
  EXPECT_EQ(show(R"(m{a=~"\\Qx."})", store, 0), R"({__name__="m", a="x."} 2)");
  EXPECT_EQ(show(R"(m{a!~"\\Qx."})", store, 0), R"({__name__="m", a="x.)$"} 1)");
  EXPECT_NE(show(R"(m{a=~"\\Qx."})", store, 0, two()).find("missing closing )"), std::string::npos);
}

TEST(Engine, KnowsDatesFarAway) {
  const SeriesStore store;
  for (const EngineOptions& options : {EngineOptions(), two()}) {
    EXPECT_EQ(show("year(vector(1e12))", store, 0, options), "{} 33658");
    EXPECT_EQ(show("month(vector(1e12)) * 100 + day_of_month(vector(1e12))", store, 0, options), "{} 927");
    EXPECT_EQ(show("hour(vector(1e12)) * 100 + minute(vector(1e12))", store, 0, options), "{} 146");
    EXPECT_EQ(show("year(vector(-1e12))", store, 0, options), "{} -29719");
    EXPECT_EQ(show("year(vector(951782400)) + month(vector(951782400)) / 100", store, 0, options),
              "{} 2000.02");
  }
}

TEST(Engine, ReadsBoundsOfBucketsAsGoDoes) {
  const SeriesStore store = store_of(
      "load 1m\n  h{le=\"0x1p1\"} 5\n  h{le=\"0x1p2\"} 10\n  h{le=\"+Inf\"} 10\n  n{le=\"+Inf\"} 10\n  "
      "n{le=\"0.1\"} 5\n  n{le=\"NaN\"} 3\n"
      "  x{le=\"0x10\"} 5\n  x{le=\"+Inf\"} 10\n  x{le=\"1\"} 4\n");
  EXPECT_EQ(show("histogram_quantile(0.75, h)", store, 0), "{} 3");
  EXPECT_EQ(show("histogram_quantile(0.5, n)", store, 0), "{} NaN");
  // Among more than a few, no order is taken for Go's.
  SeriesStore many;
  for (int i = 0; i < 12; ++i) many.add(LabelSet::make({{"__name__", "m"}, {"le", std::to_string(i)}}), 0, i);
  many.add(LabelSet::make({{"__name__", "m"}, {"le", "+Inf"}}), 0, 12);
  EXPECT_EQ(show("histogram_quantile(0.5, m)", many, 0), "{} 6");
  many.add(LabelSet::make({{"__name__", "m"}, {"le", "nan"}}), 0, 3);
  EXPECT_EQ(show("histogram_quantile(0.5, m)", many, 0), "{} NaN");
  // What Go cannot read is no bucket.
  EXPECT_EQ(show("histogram_quantile(0.5, x)", store, 0), "{} 1");
}

TEST(Engine, SmoothsInPrometheus2AndHasNoSuchFunctionIn3) {
  const SeriesStore store = store_of("load 10s\n  m 0+10x100\n");
  EXPECT_EQ(show("holt_winters(m[1m], 0.01, 0.1)", store, 900'000, two()), "{} 900");
  EXPECT_EQ(show("holt_winters(m[1m], 1, 0.1)", store, 900'000, two()),
            "error: invalid smoothing factor. Expected: 0 < sf < 1, got: 1.000000");
  EXPECT_EQ(show("holt_winters(m[1m], 0.01, 0.1)", store, 900'000),
            "1:1: parse error: unknown function with name \"holt_winters\"");
}

TEST(Engine, GivesExecutionErrorsInPrometheussWords) {
  const SeriesStore store =
      store_of("load 1m\n  a{x=\"1\"} 1\n  a{x=\"2\"} 2\n  b{y=\"1\"} 3\n  b{y=\"2\"} 4\n");
  EXPECT_EQ(
      show("b * on () a", store, 0),
      "error: found duplicate series for the match group {} on the right hand-side of the operation: "
      "[{__name__=\"a\", x=\"1\"}, {__name__=\"a\", x=\"2\"}];many-to-many matching not allowed: matching "
      "labels must be unique on one side");
  EXPECT_EQ(show("a * on () group_left () max(b) + on () group_right () a", store, 0).substr(0, 41),
            "error: found duplicate series for the mat");
  EXPECT_EQ(
      show("a * on () max(b)", store, 0),
      "error: multiple matches for labels: many-to-one matching must be explicit (group_left/group_right)");
  EXPECT_EQ(show("label_replace(a, \"x\", \"\", \"\", \"\")", store, 0),
            "error: vector cannot contain metrics with the same labelset");
  EXPECT_EQ(show("label_replace(a, \"y\", \"\", \"x\", \"(\")", store, 0),
            "error: invalid regular expression in label_replace(): (");
  EXPECT_EQ(show("topk(1e30, a)", store, 0), "error: Scalar value 1e+30 overflows int64");
}

// Each was found by random queries beside Prometheus itself.
TEST(Engine, GivesWhatPrometheusGivesInOddCorners) {
  const SeriesStore store = store_of(
      "load 1m\n  a{x=\"1\"} -0\n  t{x=\"1\"} 5\n  t{x=\"2\"} 5\n  t{x=\"3\"} 7\n  t{x=\"4\"} 5\n  "
      "n{x=\"1\"} NaN\n"
      "  n{x=\"2\"} NaN\n  h 1e308x2\n");
  // The sum of one -0: Prometheus 3 adds its correction, which is 0.
  EXPECT_EQ(show("sum(a)", store, 0), "{} 0");
  EXPECT_EQ(show("sum(a)", store, 0, two()), "{} -0");
  // Of equals, a heap decides; what is no number gives way to its like in 2.x only.
  EXPECT_EQ(show("topk(2, t)", store, 0), "{__name__=\"t\", x=\"3\"} 7; {__name__=\"t\", x=\"2\"} 5");
  EXPECT_EQ(show("bottomk(1, n)", store, 0), "{__name__=\"n\", x=\"1\"} NaN");
  EXPECT_EQ(show("bottomk(1, n)", store, 0, two()), "{__name__=\"n\", x=\"2\"} NaN");
  // The correction of an infinite sum.
  EXPECT_EQ(show("stdvar_over_time(h[5m]) + 0 * sum_over_time(h[5m])", store, minute, two()), "{} NaN");
  // The storage of Prometheus 3 puts matchers that take away behind the others, and the last one decides.
  EXPECT_EQ(show("absent(z{x!=\"2\",x=\"1\"})", store, 0), "{} 1");
  EXPECT_EQ(show("absent(z{x!=\"2\",x=\"1\"})", store, 0, two()), "{x=\"1\"} 1");
  // Which of two faults is named.
  const std::string faults = "label_replace(t + on () t, \"9\", \"\", \"\", \"\")";
  EXPECT_NE(show(faults, store, 0, two()).find("many-to-many"), std::string::npos);
}

TEST(Engine, ShowsTheStepBehindASubqueryThatNeverChangesAsPrometheus2Does) {
  const SeriesStore store = store_of("load 1m\n  a 1\n");
  const auto first_point = [&](const std::string& query, const EngineOptions& options) {
    const auto parsed = parse(query, options.dialect);
    const auto result = instant_query(**parsed, query, store, 90'000, options);
    return result->value.matrix.empty() ? -1 : result->value.matrix[0].points.at(0).time;
  };
  EXPECT_EQ(first_point("(a @ 0)[1m:2m]", two()), 120'000);
  EXPECT_EQ(first_point("a[1m:2m]", two()), -1);
  EXPECT_EQ(first_point("(a @ 0)[1m:2m]", {}), -1);
  EXPECT_EQ(show("count_over_time((a @ 0)[1m:2m])", store, 90'000, two()), "");
}

TEST(Engine, StopsAtItsLimits) {
  const SeriesStore store = store_of("load 1m\n  a{x=\"1\"} 1\n  a{x=\"2\"} 2\n");
  constexpr const char* too_many =
      "error: query processing would load too many samples into memory in query execution";
  EngineOptions options;
  EXPECT_EQ(show("sum_over_time(vector(1)[60000000s:1s])", store, 0, options), too_many);
  options.max_samples = 1;
  EXPECT_EQ(show("a", store, 0, options), too_many);
  options = {};
  options.max_series = 1;
  EXPECT_EQ(show("a", store, 0, options), "error: the selector finds 2 series, more than the limit of 1");
  options = {};
  options.max_samples_read = 1000;
  EXPECT_EQ(show("sum_over_time(a[1h:100ms])", store, 300 * 1000, options), too_many);
}

TEST(Engine, StopsWhenItsTimeIsOverOrItIsAsked) {
  const SeriesStore store = store_of("load 1m\n  a 1\n");
  FakeClock clock;
  EngineOptions options;
  options.clock = &clock;
  options.deadline = clock.steady();
  EXPECT_EQ(show("a", store, 0, options), "error: query timed out in expression evaluation");
  std::stop_source stop;
  options = {};
  options.stop = stop.get_token();
  EXPECT_EQ(show("a", store, 0, options), "{__name__=\"a\"} 1");
  stop.request_stop();
  EXPECT_EQ(show("a", store, 0, options), "error: query was canceled in expression evaluation");
}

/// A clock that advances by a second whenever it is read.
class HurriedClock final : public Clock {
 public:
  WallTime now() const override { return {}; }
  SteadyTime steady() const override { return SteadyTime(std::chrono::seconds(++looks)); }
  bool wait_until(SteadyTime, std::stop_token) override { return true; }
  mutable int looks = 0;
};

TEST(Engine, StopsWhileItSelects) {
  SeriesStore store;
  for (int i = 0; i < 50'000; ++i) {
    const std::string number = std::to_string(i);
    store.add(LabelSet::make({{"__name__", "a"}, {"x", number}}), 0, 1);
    store.add(LabelSet::make({{"__name__", "b" + number}}), 0, 1);
  }
  for (const std::string query : {R"(count(a{x!="y",x!="z",x!="w"}))", R"(count({__name__=~"b.*5"}))"}) {
    HurriedClock clock;
    EngineOptions options;
    options.clock = &clock;
    options.deadline = SteadyTime(std::chrono::seconds(10));
    EXPECT_EQ(show(query, store, 0, options), "error: query timed out in expression evaluation") << query;
    EXPECT_EQ(clock.looks, 10) << query;
  }
  std::size_t asked = 0;
  EXPECT_LT(store.select({}, [&] { return ++asked < 2; }).size(), 10'000U);
  EXPECT_EQ(asked, 2U);
}

// Everything that is done for each sample looks at the time again and again.
TEST(Engine, StopsWhileItWorksOnManySamples) {
  SeriesStore store;
  for (int i = 0; i < 30'000; ++i)
    store.add(LabelSet::make({{"__name__", "a"}, {"x", std::to_string(i)}, {"y", "z"}}), 0, 1);
  for (const std::string query : {"a * on (x) a", "a and on (x) a", "a or a", "a * on (x) group_left (y) a",
                                  "count by (x) (a)", "topk by (x) (1, a)", "count_values by (x) (\"v\", a)",
                                  "a + 1", "abs(a)", R"(label_replace(a, "v", "", "y", "w"))"}) {
    const auto looks = [&](const std::string& text, std::optional<SteadyTime> deadline) {
      HurriedClock clock;
      EngineOptions options;
      options.clock = &clock;
      options.deadline = deadline.value_or(SteadyTime::max());
      const std::string shown = show(text, store, 0, options);
      EXPECT_EQ(shown == "error: query timed out in expression evaluation", deadline.has_value()) << shown;
      return clock.looks;
    };
    const int to_select = looks("a", std::nullopt);
    const int all = looks(query, std::nullopt);
    EXPECT_GT(all, to_select + 5) << query;
    // Also where the result is there when the time is over.
    for (const int last : {to_select + 3, all}) {
      EXPECT_EQ(looks(query, SteadyTime(std::chrono::seconds(last))), last) << query;
    }
  }
}

TEST(Engine, LooksAtEachLabelOfAListOnce) {
  SeriesStore store;
  for (int i = 0; i < 1'000; ++i)
    store.add(LabelSet::make({{"__name__", "a"}, {"x", std::to_string(i)}, {"y", "z"}}), 0, 1);
  std::string list = "y";
  for (int i = 0; i < 20'000; ++i) list += ",y";
  for (const std::string& query :
       {"a * on (x," + list + ") a", "a * ignoring (x," + list + ") group_left (" + list + ") max(a)",
        "sum by (" + list + ") (a)", "sum without (" + list + ") (a)"}) {
    HurriedClock clock;
    EngineOptions options;
    options.clock = &clock;
    options.deadline = SteadyTime(std::chrono::seconds(50));
    EXPECT_NE(show(query, store, 0, options).substr(0, 5), "error") << query.substr(0, 20);
  }
}

// A value may be any bytes: what was between two values must not be taken for part of one.
TEST(Engine, TellsLabelsApartWhateverBytesTheyHave) {
  const std::string one = R"(label_replace(label_replace(vector(1),"a","p\xff","",""),"b","q","",""))";
  const std::string other = R"(label_replace(label_replace(vector(2),"a","p","",""),"b","\xffq","",""))";
  for (const EngineOptions& options : {EngineOptions(), two()}) {
    EXPECT_EQ(show("count(sum by (a, b) (" + one + " or " + other + "))", {}, 0, options), "{} 2");
    EXPECT_EQ(show("count(sum without (c) (" + one + " or " + other + "))", {}, 0, options), "{} 2");
    EXPECT_EQ(show(one + " and on (a, b) " + other, {}, 0, options), "");
    // One label is not the next.
    EXPECT_EQ(
        show(R"(label_replace(vector(1),"a","p","","") and on (a, b) label_replace(vector(1),"b","p","",""))",
             {}, 0, options),
        "");
  }
}

TEST(Engine, CountsTheLabelsOfSeriesThatAreNewAtEachStep) {
  const SeriesStore store = store_of("load 1m\n  a 1\n");
  constexpr const char* too_many =
      "error: query processing would load too many samples into memory in query execution";
  EngineOptions options;
  options.max_samples = 2'500;
  const std::string values = R"(count_values("v", a * 0 + time()))";
  EXPECT_EQ(show("count(count_over_time(" + values + "[100s:1s]))", store, 100'000, options), "{} 100");
  EXPECT_EQ(show("count(count_over_time(" + values + "[250s:1s]))", store, 250'000, options), too_many);
  EXPECT_EQ(show("count(count_over_time((a * 0 + time())[250s:1s]))", store, 250'000, options), "{} 1");
  // Long labels count as they are.
  const std::string longer =
      "label_join(" + values + R"(, "w", ")" + std::string(2'000, '-') + R"(", "v", "v"))";
  EXPECT_EQ(show("count(count_over_time(" + longer + "[5s:1s]))", store, 100'000, options), "{} 5");
  EXPECT_EQ(show("count(count_over_time(" + longer + "[50s:1s]))", store, 100'000, options), too_many);
  const auto over_range = [&](const std::string& query) {
    const auto result = range_query(**parse(query), query, store, 0, 200'000, 1'000, options);
    return result ? std::to_string(result->value.matrix.size()) + " series"
                  : "error: " + result.error().message;
  };
  EXPECT_EQ(over_range("a * 0 + time()"), "1 series");
  EXPECT_EQ(over_range(values), too_many);
  EXPECT_EQ(over_range("count by (v) (" + values + ") and vector(2)"), too_many);
}

TEST(Engine, BoundsTheLabelsThatAQueryMakesAtOneStep) {
  SeriesStore store;
  for (int i = 0; i < 20; ++i)
    store.add(
        LabelSet::make({{"__name__", "a"}, {"x", std::to_string(i)}, {"long", std::string(1'000'000, 'l')}}),
        0, 1);
  const std::string made = R"(count(label_join(a, "y", "", "long")))";
  EXPECT_EQ(show(made + "+" + made + "+" + made, store, 0), "{} 60");
  EXPECT_EQ(show(made + "+" + made + "+" + made + "+" + made, store, 0),
            "error: label_join() makes labels of more than 67108864 bytes");
  EXPECT_EQ(show("sum_over_time(" + made + "[20s:1s])", store, 20'000), "{} 400");
  const auto over_range = range_query(**parse(made), made, store, 0, 20'000, 1'000);
  ASSERT_TRUE(over_range) << over_range.error().message;
  EXPECT_EQ(over_range->value.matrix.at(0).points.size(), 21U);
}

TEST(Engine, CountsTheNamesOfLabelsThatAQueryMakes) {
  SeriesStore store;
  for (int i = 0; i < 5'000; ++i)
    store.add(LabelSet::make({{"__name__", "a"}, {"x", std::to_string(i)}, {"g", "1"}}), 0, i);
  const std::string name(15'000, 'n'), one = R"(group by (g) (a))";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"(count(label_replace(a, ")" + name + R"(", "v", "", "")))", "label_replace"},
      {R"(count(label_join(a, ")" + name + R"(", "", "x")))", "label_join"},
      {R"(count(count_values(")" + name + R"(", a)))", "count_values"},
      {R"(count(count_values by (x) (")" + name + R"(", a)))", "count_values"},
      {R"(count(a * on (g) group_left ()" + name + R"() label_replace()" + one + R"(, ")" + name +
           R"(", "v", "", "")))",
       "group_left"},
      {R"(count(label_replace()" + one + R"(, "l", ")" + name + R"(", "", "") * on (g) group_right (l) a))",
       "group_right"},
      {R"(max_over_time(count(label_replace(a, ")" + name + R"(", "v", "", ""))[1m:1s]))", "label_replace"},
  };
  for (const auto& [query, maker] : cases) {
    for (const Dialect dialect : {Dialect::prometheus3, Dialect::prometheus2}) {
      EngineOptions options;
      options.dialect = dialect;
      EXPECT_EQ(show(query, store, 0, options),
                "error: " + maker + "() makes labels of more than 67108864 bytes")
          << query.substr(0, 60);
    }
  }
}

// The labels of a series that is changed are copied, those that stay as well.
TEST(Engine, BoundsTheLabelsThatAreInUse) {
  SeriesStore store;
  for (int i = 0; i < 1'000; ++i)
    store.add(
        LabelSet::make({{"__name__", "a"}, {"x", std::to_string(i)}, {"long", std::string(1'000, 'l')}}), 0,
        i);
  EngineOptions options;
  options.max_label_bytes = 2'000'000;
  const std::string error = "error: the labels that the query makes take more than 2000000 bytes";
  const std::string copies = R"(label_replace(a, "y", "v", "", ""))";
  EXPECT_EQ(show("count(" + copies + ")", store, 0, options), "{} 1000");
  // One after the other they take no more than the first did.
  EXPECT_EQ(show("count(" + copies + ") + count(" + copies + ") + count(" + copies + ")", store, 0, options),
            "{} 3000");
  EXPECT_EQ(show(R"(count(label_replace()" + copies + R"(, "z", "v", "", "")))", store, 0, options),
            "{} 1000");
  for (const std::string& query :
       {"count(" + copies + " + (" + copies + "))", "count(" + copies + " or (" + copies + " > 1))",
        "count(count without (y) (" + copies + ") + (" + copies + "))",
        R"(count(count_values without (y) ("v", a) + on (x) ()" + copies + "))"})
    EXPECT_EQ(show(query, store, 0, options), error) << query;
}

TEST(Engine, CountsWhatWaitsForTheOtherSideOfAnOperator) {
  SeriesStore store;
  for (int i = 0; i < 1'000; ++i)
    store.add(LabelSet::make({{"__name__", "a"}, {"x", std::to_string(i)}}), 0, i);
  EngineOptions options;
  options.max_samples = 20'000;
  std::string left = "a", right = "a";
  for (int i = 0; i < 20; ++i) {
    left = "(" + left + ") + a";
    right = "a + (" + right + ")";
  }
  EXPECT_EQ(show("count(" + left + ")", store, 0, options), "{} 1000");
  EXPECT_EQ(show("count(" + right + ")", store, 0, options),
            "error: query processing would load too many samples into memory in query execution");
}

TEST(Engine, StopsWhenItsProcessorTimeIsUsedUp) {
  SeriesStore store;
  for (int i = 0; i < 10'000; ++i)
    store.add(LabelSet::make({{"__name__", "a"}, {"x", std::to_string(i)}}), 0, i);
  EngineOptions options;
  std::chrono::nanoseconds used{};
  options.cpu_time = [&] {
    used += std::chrono::milliseconds(1);
    return used;
  };
  options.cpu_until = std::chrono::milliseconds(500);
  const std::string query = R"q(count(label_replace(a, "y", "$1", "x", "(.*)")))q";
  EXPECT_EQ(show(query, store, 0, options), "error: query used up its processor time");
  used = {};
  EXPECT_EQ(show("count(a)", store, 0, options), "{} 10000");
  EXPECT_GT(used.count(), 0);
}

// Each quotes a label that the query has made.
TEST(Engine, KeepsAMegabyteOfWarnings) {
  SeriesStore store;
  for (int i = 0; i < 2'000; ++i)
    store.add(LabelSet::make({{"__name__", "a"}, {"x", std::to_string(i)}}), 0, i);
  const std::string query = R"(count(histogram_quantile(0.5, label_join(a, "le", ")" +
                            std::string(5'000, '-') + R"(", "x", "x"))))";
  const auto result = instant_query(**parse(query), query, store, 0);
  ASSERT_TRUE(result.has_value());
  EXPECT_GT(result->warnings.size(), 100U);
  EXPECT_LT(result->warnings.size(), 210U);
}

TEST(Engine, RefusesTimesWhoseSumsWouldOverflow) {
  constexpr Timestamp last = std::numeric_limits<Timestamp>::max(),
                      first = std::numeric_limits<Timestamp>::min();
  constexpr const char* refused = "the time of the query is beyond the end of all times";
  const auto up = parse("count_over_time(up[5m:1m])");
  for (const Timestamp time : {last, first})
    EXPECT_EQ(instant_query(**up, "", {}, time).error().message, refused);
  EXPECT_EQ(range_query(**up, "", {}, last - 10, last, 1).error().message, refused);
  EXPECT_EQ(range_query(**up, "", {}, first, 0, last).error().message, refused);
  EXPECT_EQ(range_query(**up, "", {}, 0, 1, last).error().message, refused);
  SeriesStore store;
  EXPECT_NE(load_script("load 290y\n  a 1x200\n", store).error().message.find("the last time there is"),
            std::string::npos);
}

TEST(Engine, WarnsWithThePlaceInTheQuery) {
  const SeriesStore store = store_of(
      "load 1m\n  a 1 2 3\n  h_bucket{le=\"1\"} 3\n  h_bucket{le=\"2\"} 2\n  h_bucket{le=\"+Inf\"} 4\n"
      "  h_bucket{le=\"x\"} 4\n");
  const auto annotations = [&](const std::string& query, Timestamp time) {
    const auto parsed = parse(query);
    const auto result = instant_query(**parsed, query, store, time);
    std::string text;
    for (const std::string& warning : result->warnings) text += warning + "\n";
    for (const std::string& info : result->infos) text += info + "\n";
    return text;
  };
  EXPECT_EQ(annotations("quantile(2, a)", 0),
            "PromQL warning: quantile value should be between 0 and 1, got 2 (1:10)\n");
  EXPECT_EQ(
      annotations("1 +\n rate(a[5m])", 2 * minute),
      "PromQL info: metric might not be a counter, name does not end in _total/_sum/_count/_bucket: \"a\" "
      "(2:7)\n");
  EXPECT_EQ(
      annotations("histogram_quantile(0.5, h_bucket)", 0),
      "PromQL warning: bucket label \"le\" is missing or has a malformed value of \"x\" (1:25)\n"
      "PromQL info: input to histogram_quantile needed to be fixed for monotonicity (see "
      "https://prometheus.io/docs/prometheus/latest/querying/functions/#histogram_quantile), from buckets 2 "
      "to "
      "2, with a max diff of 1, over 1 samples from 1970-01-01T00:00:00Z to 1970-01-01T00:00:00Z (1:25)\n");
}

TEST(Engine, EvaluatesRangesStepByStepWithoutForgettingSubqueries) {
  const SeriesStore store = store_of("load 1m\n  a 0+1x120\n");
  const std::string query = "max_over_time((a * 2)[10m:1m]) - a @ end()";
  const auto parsed = parse(query);
  ASSERT_TRUE(parsed);
  const auto result = range_query(**parsed, query, store, 0, 100 * minute, 5 * minute);
  ASSERT_TRUE(result);
  ASSERT_EQ(result->value.matrix.size(), 1U);
  for (const Point& point : result->value.matrix[0].points)
    EXPECT_EQ(point.value, static_cast<double>(point.time) / minute * 2 - 100) << point.time;
  EXPECT_EQ(result->value.matrix[0].points.size(), 21U);
}

// Two metrics that never meet in one window: after the names are gone they are one at different times.
TEST(Engine, RefusesEqualLabelsThatFollowOneAnotherWherePrometheusDoes) {
  const SeriesStore store = store_of("load 1m\n  early{x=\"1\"} 1+1x20 stale\n  late{x=\"1\"} _x40 1+1x20\n");
  constexpr const char* refused = "error: vector cannot contain metrics with the same labelset";
  const std::string both = "{__name__=~\"early|late\"}";
  const auto over_range = [&](const std::string& query, const EngineOptions& options) {
    const auto parsed = parse(query, options.dialect);
    if (!parsed) return parsed.error().message;
    const auto result = range_query(**parsed, query, store, 0, 60 * minute, minute, options);
    return result ? std::to_string(result->value.matrix.size()) + " series"
                  : "error: " + result.error().message;
  };
  for (const EngineOptions& options : {EngineOptions(), two()}) {
    for (const std::string function : {"rate", "changes", "increase", "max_over_time"}) {
      const std::string call = function + "(" + both + "[2m])";
      EXPECT_EQ(show(call, store, 60 * minute, options).find("error"), std::string::npos) << call;
      EXPECT_EQ(show("max_over_time(" + call + "[60m:1m]) > bool 1000", store, 60 * minute, options), refused)
          << call;
      EXPECT_EQ(over_range(call, options), refused) << call;
    }
    EXPECT_EQ(over_range("last_over_time(" + both + "[2m])", options), "2 series");
    EXPECT_EQ(over_range("rate(early[2m]) or rate(late[2m])", options), "1 series");
  }
  EXPECT_EQ(over_range("-" + both, two()), refused);
  EXPECT_EQ(over_range("-" + both, {}), "1 series");
  EXPECT_EQ(over_range("-early or -late", two()), "1 series");
}

TEST(Engine, DropsTheNameThatGroupLeftBringsToATruthInPrometheus2Only) {
  const SeriesStore store = store_of("load 1m\n  m{host=\"a\"} 2\n  info{host=\"a\"} 1\n");
  const std::string truth = "m > bool on (host) group_left (__name__) info",
                    sum = "m + on (host) group_left (__name__) info";
  EXPECT_EQ(show(truth, store, 0), R"({__name__="info", host="a"} 1)");
  EXPECT_EQ(show(truth, store, 0, two()), R"({host="a"} 1)");
  EXPECT_EQ(show(sum, store, 0), R"({__name__="info", host="a"} 3)");
  EXPECT_EQ(show(sum, store, 0, two()), R"({__name__="info", host="a"} 3)");
}

TEST(Engine, DropsTypeAndUnitWithTheNameInPrometheus3Only) {
  SeriesStore store;
  store.add(LabelSet::make({{"__name__", "m"}, {"__type__", "gauge"}, {"__unit__", "s"}, {"a", "b"}}), 0, 1);
  store.add(LabelSet::make({{"__name__", "n"}, {"__type__", "counter"}, {"a", "b"}}), 0, 2);
  EXPECT_EQ(show("abs(m)", store, 0), R"({a="b"} 1)");
  EXPECT_EQ(show("abs(m)", store, 0, two()), R"({__type__="gauge", __unit__="s", a="b"} 1)");
  EXPECT_EQ(show("m + 1", store, 0, two()), R"({__type__="gauge", __unit__="s", a="b"} 2)");
  EXPECT_EQ(show(R"(abs({a="b"}))", store, 0), "error: vector cannot contain metrics with the same labelset");
  EXPECT_EQ(show(R"(sort(abs({a="b"})))", store, 0, two()),
            R"({__type__="gauge", __unit__="s", a="b"} 1; {__type__="counter", a="b"} 2)");
  EXPECT_EQ(show(R"(abs(m) unless m)", store, 0, two()), "");
}

TEST(Engine, RefusesStepsBelowAMillisecond) {
  const SeriesStore store = store_of("load 1m\n  m 1\n");
  constexpr const char* refused =
      "error: the step of a subquery is less than a millisecond, the shortest there is";
  EXPECT_EQ(show("count_over_time(m[5m:0.0001])", store, 0), refused);
  EXPECT_EQ(show("absent_over_time(m[5m:0.0001])", store, 0), refused);
  EXPECT_EQ(show("m[5m:0.0001]", store, 0), refused);
  EXPECT_EQ(show("count_over_time(m[1s:0.001])", store, 0), "{} 1");
}

TEST(Engine, RefusesRangesOfWhatHasNoSteps) {
  const auto parsed = parse("up[5m]");
  const auto result = range_query(**parsed, "up[5m]", SeriesStore(), 0, 1, 1);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message,
            "invalid expression type \"range vector\" for range query, must be Scalar or instant Vector");
}

TEST(SeriesStore, TakesSeriesAgainThatItDropped) {
  SeriesStore store;
  const LabelsRef gone = LabelSet::make({{"__name__", "a"}, {"x", "1"}}),
                  stays = LabelSet::make({{"__name__", "a"}});
  store.add(gone, 1000, 1);
  store.add(stays, 5000, 2);
  store.prune([](const std::string&) { return Timestamp{2000}; });
  EXPECT_EQ(store.series_count(), 1U);
  EXPECT_EQ(store.point_count(), 1U);
  store.add(gone, 6000, 3);
  store.add(stays, 6000, 4);
  EXPECT_EQ(store.series_count(), 2U);
  EXPECT_EQ(show("a", store, 6000), "{__name__=\"a\"} 4; {__name__=\"a\", x=\"1\"} 3");
}

TEST(SeriesStore, PutsPointsThatComeLateInOrder) {
  SeriesStore store;
  const LabelsRef a = LabelSet::make({{"__name__", "a"}});
  const Series& held = store.series(a);
  store.add(a, 5000, 5);
  store.add(a, 3000, 3);
  store.add(a, 1000, 1);
  EXPECT_EQ(held.points.size(), 1U);
  EXPECT_EQ(store.series(a).points.size(), 3U);
  store.add(a, 2000, 2);
  EXPECT_EQ(held.points.size(), 3U);
  store.add(a, 3000, 4);
  store.add(a, 5000, 6);
  EXPECT_EQ(store.value_at(a, 3000), 4);
  EXPECT_EQ(store.value_at(a, 5000), 6);
  EXPECT_EQ(store.value_at(a, 2000), 2);
  EXPECT_EQ(store.value_at(a, 2500), std::nullopt);
  EXPECT_EQ(store.value_at(LabelSet::make({{"__name__", "b"}}), 3000), std::nullopt);
  store.add(a, 7000, 7);
  EXPECT_EQ(store.point_count(), 5U);
  EXPECT_EQ(store.last_time(), 7000);
  const auto times = [&] {
    std::string text;
    for (const Point& point : store.select({})[0]->points)
      text += std::to_string(point.time) + "=" + go_plain_number(point.value) + " ";
    return text;
  };
  EXPECT_EQ(times(), "1000=1 2000=2 3000=4 5000=6 7000=7 ");
  store.add(a, 4000, 40);
  EXPECT_EQ(times(), "1000=1 2000=2 3000=4 4000=40 5000=6 7000=7 ");
  store.prune([](const std::string&) { return Timestamp{2000}; });
  EXPECT_EQ(store.point_count(), 5U);
  EXPECT_EQ(times(), "2000=2 3000=4 4000=40 5000=6 7000=7 ");
}

TEST(Exposition, ReadsTimesThatGoBackwards) {
  SeriesStore store;
  std::string text;
  for (int i = 200'000; i > 0; --i) text += "a 1 " + std::to_string(i) + "\n";
  const auto read = read_exposition(text, 0, store);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->samples, 200'000U);
  EXPECT_EQ(store.point_count(), 200'000U);
  EXPECT_EQ(show("count_over_time(a[200s])", store, 200'000), "{} 200000");
  const auto twice = read_exposition(text + "a 2 7\n", 0, store);
  ASSERT_FALSE(twice);
  EXPECT_NE(twice.error().message.find("two values for one time"), std::string::npos);
}

TEST(Exposition, ReadsTextFiles) {
  SeriesStore store;
  const auto read = read_exposition(
      "# HELP up whether it is up\n# TYPE up gauge\nup 1\nup{job=\"a\",msg=\"h\\\"\\n\"} 0.5 12000\n"
      "{\"quoted name\",a=\"b\"} +Inf 1.5\n\n",
      7000, store);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->samples, 3U);
  EXPECT_EQ(read->dated, 2U);
  EXPECT_EQ(show("up", store, 12'000),
            "{__name__=\"up\"} 1; {__name__=\"up\", job=\"a\", msg=\"h\\\"\\n\"} 0.5");
  EXPECT_EQ(show("{\"quoted name\"}", store, 1'500), "{__name__=\"quoted name\", a=\"b\"} +Inf");
}

TEST(Exposition, ReadsLabelsAndValuesAsPrometheussTextParserDoes) {
  SeriesStore store;
  const auto read = read_exposition(
      "up { a = \"x\\\\y\\q\\t\\x41\\u00e9\\\"\\n\" , \"b c\"=\"1\", } 010\nlow 1e-400\nnone NaN\nbig "
      "-INFINITY\n"
      "tab\t07 12\n",
      7000, store);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(show("up", store, 7000), R"({__name__="up", a="x\\y\\q\\t\\x41\\u00e9\"\n", "b c"="1"} 10)");
  EXPECT_EQ(show("low", store, 7000), "{__name__=\"low\"} 0");
  EXPECT_EQ(show("none", store, 7000), "{__name__=\"none\"} NaN");
  EXPECT_EQ(show("big", store, 7000), "{__name__=\"big\"} -Inf");
  EXPECT_EQ(show("tab", store, 7000), "{__name__=\"tab\"} 7");
}

TEST(GoFloat, IsWhatParseFloatTakes) {
  for (const auto& [text, value] : std::vector<std::pair<std::string, double>>{{"0", 0},
                                                                               {"-1.5", -1.5},
                                                                               {"+.5", .5},
                                                                               {"5.", 5},
                                                                               {"1e3", 1000},
                                                                               {"1E-2", .01},
                                                                               {"010", 10},
                                                                               {"1_0.5_0", 10.5},
                                                                               {"0x1p4", 16},
                                                                               {"-0X1.8P1", -3},
                                                                               {"0x_1p0", 1},
                                                                               {"0x.8p0", .5},
                                                                               {"1e-400", 0},
                                                                               {"1_0e+0_1", 100}}) {
    EXPECT_EQ(parse_go_float(text), value) << text;
  }
  EXPECT_EQ(parse_go_float("-iNf"), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(parse_go_float("Infinity"), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(parse_go_float("nAn").value()));
  for (const char* wrong :
       {"",     " 1",   "1 ",      "+",     "--1",      "1e",   "1e+",   ".",     "e1",   "0x10",
        "0x",   "0xp1", "0x1p",    "0b1",   "0o7",      "1__0", "_1",    "1_",    "1_.5", "+nan",
        "-nan", "in",   "infinit", "1e999", "0x1p9999", "1,5",  "1.2.3", "0_x1p1"})
    EXPECT_FALSE(parse_go_float(wrong)) << wrong;
}

TEST(Exposition, SaysWhichLineIsWrong) {
  for (const auto& [text, why] : std::vector<std::pair<std::string, std::string>>{
           {"up 1\nup one\n", "line 2: 'one' is not a value"},
           {"up 1 9223372036854775807\n",
            "line 1: the timestamp 9223372036854775807 is too far away: it is "
            "milliseconds since 1970, at most 1e15"},
           {"up 1 -1000000000000001\n",
            "line 1: the timestamp -1000000000000001 is too far away: it is "
            "milliseconds since 1970, at most 1e15"},
           {"up{a=b} 1\n", "line 1: the label 'a' needs =\"value\""},
           {"up{a=\"b\" 1\n", "line 1: there is no comma or } behind the label 'a'"},
           {"up{a=\"b\"c=\"d\"} 1\n", "line 1: there is no comma or } behind the label 'a'"},
           {"up{,a=\"b\"} 1\n", "line 1: unexpected ',a=\"b\"} 1' where a label should be"},
           {"up{a='b'} 1\n", "line 1: the label 'a' needs =\"value\""},
           {"up{a=\"b\\\"} 1\n", "line 1: the value of the label 'a' does not end"},
           {"up{a=\"\xff\"} 1\n", "line 1: the value of the label 'a' is not UTF-8"},
           {"up{\"down\"} 1\n", "line 1: the label '__name__' stands there twice"},
           {"up 1_0\n", "line 1: '1_0' is not a value"},
           {"up 0x10\n", "line 1: '0x10' is not a value"},
           {"up 0x1p3\n", "line 1: '0x1p3' is not a value"},
           {"up 1e999\n", "line 1: '1e999' is not a value"},
           {"up 1\nup 1\nup 2\n",
            "line 3: the series {__name__=\"up\"} stands there twice, with two values for one time"},
           {"9up 1\n", "line 1: '9up' is not a metric name"},
           {"up 1 soon\n", "line 1: 'soon' is not a timestamp"},
           {"up 1\nup{a=\"b\",c=\"\",a=\"b\"} 1\n", "line 2: the label 'a' stands there twice"},
           {"up{a=\"\",a=\"b\"} 1\n", "line 1: the label 'a' stands there twice"},
           {"up{__name__=\"down\"} 1\n", "line 1: the label '__name__' stands there twice"},
           {"{} 1\n", "line 1: the sample has neither a name nor labels"}}) {
    SeriesStore store;
    const auto read = read_exposition(text, 0, store);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().message, why);
  }
}

TEST(ResultJson, IsWhatPrometheussApiGives) {
  const SeriesStore store = store_of("load 1m\n  a{x=\"1\"} 1 NaN\n");
  const auto answer = [&](const std::string& query) {
    const auto parsed = parse(query);
    const auto result = instant_query(**parsed, query, store, minute);
    return result ? to_json_text(*result) : to_json_text(result.error());
  };
  EXPECT_EQ(answer("a"), R"({"status":"success","data":{"resultType":"vector","result":[{"metric":)"
                         R"({"__name__":"a","x":"1"},"value":[60,"NaN"]}]}})");
  EXPECT_EQ(answer("\"a\\n\""), R"({"status":"success","data":{"resultType":"string","result":[60,"a\n"]}})");
  EXPECT_EQ(answer("\"a\\xff\\x80é\\n\""),
            R"({"status":"success","data":{"resultType":"string","result":[60,"a\ufffd\ufffdé\n"]}})");
  EXPECT_EQ(answer("1"), R"({"status":"success","data":{"resultType":"scalar","result":[60,"1"]}})");
  EXPECT_EQ(answer("topk(NaN, a)"),
            R"({"status":"error","errorType":"execution","error":"Parameter value is NaN"})");
  EXPECT_EQ(answer("label_replace(a, \"b\", \"\", \"\", \"(<\")"),
            R"({"status":"error","errorType":"execution","error":)"
            R"("invalid regular expression in label_replace(): (\u003c"})");
}

TEST(ResultJson, WritesSamplesThatAreVerySmallOrLargeWithAnExponent) {
  for (const auto& [number, sample, scalar] : std::vector<std::tuple<std::string, std::string, std::string>>{
           {"1e-7", "1e-07", "0.0000001"},
           {"-1e21", "-1e+21", "-1000000000000000000000"},
           {"1e-6", "0.000001", "0.000001"},
           {"123456789e12", "123456789000000000000", "123456789000000000000"},
           {"1.25e22", "1.25e+22", "12500000000000000000000"},
           {"Inf", "+Inf", "+Inf"},
           {"NaN", "NaN", "NaN"},
           {"-0", "-0", "-0"}}) {
    const auto text = [&](const std::string& query) {
      const auto parsed = parse(query);
      return to_json_text(*instant_query(**parsed, query, {}, 1'000));
    };
    EXPECT_NE(text("vector(" + number + ")").find("[1,\"" + sample + "\"]"), std::string::npos) << number;
    EXPECT_NE(text("vector(" + number + ")[1s:1s]").find("[1,\"" + sample + "\"]"), std::string::npos)
        << number;
    EXPECT_NE(text(number).find("[1,\"" + scalar + "\"]"), std::string::npos) << number;
  }
  EXPECT_NE(to_json_text(*instant_query(**parse("vector(5e-324)"), "", {}, 0)).find("\"5e-324\""),
            std::string::npos);
}

// Those of 2.42 are what it was seen to answer.
TEST(ResultJson, EscapesAsTheEncodersOfEachPrometheusDo) {
  const std::string odd = R"(<&>\u2028\u007f\u0001'\n\t\b\f\")";
  const auto text = [&](const std::string& query, Dialect dialect) {
    const auto parsed = parse(query, dialect);
    return to_json_text(*instant_query(**parsed, query, {}, 0), dialect);
  };
  const std::string label = "label_replace(vector(1), \"a\", \"" + odd + "\", \"\", \"\")";
  EXPECT_NE(text(label, Dialect::prometheus2)
                .find("{\"a\":\""
                      R"(\u003c\u0026\u003e\u2028)"
                      "\x7f"
                      R"(\u0001'\n\t\u0008\u000c\""})"),
            std::string::npos);
  EXPECT_NE(text(label, Dialect::prometheus3)
                .find("{\"a\":\"<&>\u2028\x7f"
                      R"(\u0001'\n\t\u0008\u000c\""})"),
            std::string::npos);
  EXPECT_NE(text("\"<\\b\\f\"", Dialect::prometheus2).find(R"("\u003c\u0008\u000c")"), std::string::npos);
  EXPECT_NE(text("\"<\\b\\f\"", Dialect::prometheus3).find(R"("\u003c\b\f")"), std::string::npos);
}

}  // namespace
}  // namespace fairway::promql
