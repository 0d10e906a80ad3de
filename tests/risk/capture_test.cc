// SPDX-License-Identifier: Apache-2.0

// What is asked of a Prometheus for a capture, what becomes of the answers, and what evaluations over it say.
#include "risk/evaluators/capture.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/text.h"
#include "http/url.h"
#include "promql/engine/engine.h"
#include "promql/engine/exposition.h"
#include "promql/engine/series_ends.h"
#include "promql/parser/parser.h"
#include "risk/asked.h"
#include "risk/evaluators/fixed_series.h"
#include "support/fake_service.h"

namespace fairway::risk {
namespace {

using namespace std::chrono_literals;
using fairway::testing::FakeService;
using testing::question;
using testing::shown;

constexpr promql::Timestamp now = 1'700'000'000'000;

http::Response success(const std::string& type, const std::string& result) {
  return http::Response::json(
      200, R"({"status":"success","data":{"resultType":")" + type + R"(","result":)" + result + "}}");
}

/// Query that tells Prometheus 2 and 3 apart, and an answer to it: 2 steps are those of 3.
constexpr const char* telling = "count_over_time(vector(1)[2s:1s])";
std::string steps(const std::string& number) {
  return R"([{"metric":{},"value":[1700000000,")" + number + "\"]}]";
}

/// A Prometheus that has answers to some queries, and an empty result for others.
class Server {
 public:
  explicit Server(std::map<std::string, std::string> results = {})
      : results_(std::move(results)), service_([this](const http::Request& request) {
          std::string query, time;
          for (const auto& [name, value] : http::parse_query(request.query)) {
            if (name == "query") query = value;
            if (name == "time") time = value;
          }
          const std::lock_guard lock(mutex_);
          asked_.push_back(query + (time.empty() ? "" : " at " + time));
          if (query == "time()") return success("scalar", R"([1700000000,"1700000000"])");
          const bool range = query.ends_with(']');
          const auto found = results_.find(query);
          if (found == results_.end() && query == telling) return success("vector", steps("2"));
          if (found == results_.end()) return success(range ? "matrix" : "vector", "[]");
          if (found->second == "503") return http::Response::text(503, "too busy");
          return success(range ? "matrix" : "vector", found->second);
        }) {
    PrometheusOptions options;
    options.url = service_.url("");
    options.proxy_environment = false;
    api_ = PrometheusApi::create(options).value();
  }

  Result<Capture> capture(const std::vector<std::string>& queries, const CaptureLimits& limits = {}) {
    std::vector<QuestionPointer> questions;
    for (const std::string& query : queries) questions.push_back(question(query));
    return capture_series(*api_, questions, {}, limits);
  }
  std::vector<std::string> asked() {
    const std::lock_guard lock(mutex_);
    return asked_;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::string> results_;
  std::vector<std::string> asked_;
  FakeService service_;
  std::unique_ptr<PrometheusApi> api_;
};

/// Returns `[{"metric":{...},"value":[...]}]`.
std::string present(const std::string& metric) {
  return R"([{"metric":)" + metric + R"(,"value":[1700000000,"1"]}])";
}
std::string past(const std::string& metric, const std::string& values) {
  return R"([{"metric":)" + metric + R"(,"values":)" + values + "}]";
}

/// Returns the result of evaluating a query over a text, at a time.
std::string over(const std::string& text, const std::string& query, promql::Timestamp time = now,
                 DialectSource source = DialectSource::assumed,
                 promql::Dialect dialect = promql::Dialect::prometheus3) {
  promql::SeriesStore store;
  EXPECT_TRUE(promql::read_exposition(text, now, store).has_value()) << text;
  EXPECT_TRUE(promql::read_series_ends(text, store).has_value()) << text;
  promql::EngineOptions engine = evaluation_limits();
  engine.dialect = dialect;
  FixedSeries series(store, time, Clock::system(), engine, {}, source);
  series.begin_round();
  return shown(testing::ask(series, query));
}

TEST(Capture, AsksForEachMetricAsFarBackAsSomeQueryLooks) {
  Server server;
  const auto capture = server.capture(
      {"max(b{x=\"1\"})", "max_over_time(a[1h])", "max(a offset 2h)", "rate(c[5m]) > bool 0 or max(c)"});
  ASSERT_TRUE(capture) << capture.error().message;
  EXPECT_EQ(server.asked(), (std::vector<std::string>{
                                "time()",
                                "count_over_time(vector(1)[2s:1s]) at 1700000000.000",
                                "{__name__=\"a\"} at 1700000000.000",
                                "{__name__=\"a\"}[7501000ms] at 1700000000.000",
                                "{__name__=\"b\"} at 1700000000.000",
                                "{__name__=\"b\"}[301000ms] at 1700000000.000",
                                "{__name__=\"c\"} at 1700000000.000",
                                "{__name__=\"c\"}[601000ms] at 1700000000.000",
                            }));
  EXPECT_EQ(capture->absent, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(capture->time, now);
  EXPECT_EQ(capture->metrics, 3U);
  EXPECT_EQ(capture->samples, 0U);
}

TEST(Capture, AsksForALongHistoryInParts) {
  Server server({{"{__name__=\"a\"}[3600000ms]", past(R"({"__name__":"a"})", R"([[1699999000,"3"]])")}});
  const auto capture = server.capture({"max_over_time(a[2h])"}, {.part = 1h});
  ASSERT_TRUE(capture) << capture.error().message;
  EXPECT_EQ(server.asked(), (std::vector<std::string>{
                                "time()",
                                "count_over_time(vector(1)[2s:1s]) at 1700000000.000",
                                "{__name__=\"a\"} at 1700000000.000",
                                "{__name__=\"a\"}[3600000ms] at 1700000000.000",
                                "{__name__=\"a\"}[3600000ms] at 1699996400.000",
                                "{__name__=\"a\"}[301000ms] at 1699992800.000",
                                "{__name__=\"a\"}[601000ms:1s] at 1699999301.000",
                            }));
  // What two parts have is there once.
  EXPECT_EQ(capture->samples, 1U);
}

TEST(Capture, KeepsTheLastSampleWhereOnlyThePresentIsLookedAt) {
  const std::string metric = R"({"__name__":"a","path":"C:\\x \"y\"\nz","with.dot":"1"})";
  Server server(
      {{"{__name__=\"a\"}", present(metric)},
       {"{__name__=\"a\"}[301000ms]", past(metric, R"([[1699999900,"2"],[1699999930.5,"1e+06"]])")}});
  const auto capture = server.capture({"max(a)"});
  ASSERT_TRUE(capture) << capture.error().message;
  EXPECT_EQ(capture->text,
            "# fairway: dialect 3\n"
            "a{path=\"C:\\\\x \\\"y\\\"\\nz\",\"with.dot\"=\"1\"} 1000000 1699999930500\n"
            "fairway_captured{metric=\"a\"} 1 1699999699000\n"
            "fairway_captured{metric=\"a\"} 1 1700000000000\n");
  EXPECT_TRUE(capture->problems.empty());
  EXPECT_EQ(over(capture->text, "max(a == bool 1000000)"), "matches");
}

TEST(Capture, LeavesOutWhatHasEndedWhereOnlyThePresentIsLookedAt) {
  const auto instant = Server({{"{__name__=\"a\"}[301000ms]",
                                past(R"({"__name__":"a"})", R"([[1699999600,"1"],[1699999900,"1"]])")}})
                           .capture({"max(a)"});
  ASSERT_TRUE(instant) << instant.error().message;
  EXPECT_EQ(instant->absent, std::vector<std::string>{"a"});
  EXPECT_EQ(over(instant->text, "absent(a)"), "matches");
}

TEST(Capture, SaysWhenASeriesEnded) {
  // The server saw it at each second until 40 seconds before the capture.
  const std::string metric = R"({"__name__":"a","x":"1"})";
  Server server({{"{__name__=\"a\"}[3901000ms]", past(metric, R"([[1699999600,"1"],[1699999900,"1"]])")},
                 {"{__name__=\"a\"}[601000ms:1s]", past(metric, R"([[1699999959,"1"],[1699999960,"1"]])")}});
  const auto both = server.capture({"max(max_over_time(a[1h]))", "max(a)"});
  ASSERT_TRUE(both) << both.error().message;
  EXPECT_EQ(both->problems, std::vector<std::string>{});
  EXPECT_EQ(both->samples, 2U);
  EXPECT_TRUE(
      both->text.contains("a{x=\"1\"} 1 1699999600000\n"
                          "a{x=\"1\"} 1 1699999900000\n"
                          "# fairway: ended a{x=\"1\"} 1699999961000\n"))
      << both->text;
  EXPECT_EQ(server.asked().back(), "{__name__=\"a\"}[601000ms:1s] at 1700000000.000");
  EXPECT_EQ(over(both->text, "max(max_over_time(a[1h]))"), "matches");
  EXPECT_EQ(over(both->text, "absent(a)"), "matches");
  EXPECT_EQ(over(both->text, "absent(a offset 39s)"), "matches");
  EXPECT_EQ(over(both->text, "max(a offset 40s)"), "matches");
}

TEST(Capture, SaysNoEndWhereSamplesJustStopped) {
  const std::string metric = R"({"__name__":"a"})";
  Server server({{"{__name__=\"a\"}[3901000ms]", past(metric, R"([[1699999000,"1"]])")},
                 {"{__name__=\"a\"}[601000ms:1s]", past(metric, R"([[1699999299,"1"]])")}});
  const auto capture = server.capture({"max(max_over_time(a[1h]))"});
  ASSERT_TRUE(capture) << capture.error().message;
  EXPECT_FALSE(capture->text.contains("ended")) << capture->text;
  // The five minutes behind its last sample end there, too.
  EXPECT_EQ(server.asked().back(), "{__name__=\"a\"}[601000ms:1s] at 1699999301.000");
}

TEST(Capture, EndsASeriesByItsOwnTimeWhereTheServerSaysNoMore) {
  const std::string metric = R"({"__name__":"a"})";
  const std::map<std::string, std::string> results{
      {"{__name__=\"a\"}[3901000ms]", past(metric, R"([[1699999900,"1"]])")},
      {"{__name__=\"a\"}[601000ms:1s]", "503"}};
  const auto range = Server(results).capture({"max(max_over_time(a[1h]))", "max(a)"});
  ASSERT_TRUE(range) << range.error().message;
  EXPECT_EQ(range->problems, std::vector<std::string>{});
  EXPECT_EQ(over(range->text, "absent(a)"), "matches");
  EXPECT_EQ(over(range->text, "max(max_over_time(a[1h]))"), "matches");
  const auto past_too = Server(results).capture({"max(a offset 1h)"});
  ASSERT_TRUE(past_too) << past_too.error().message;
  EXPECT_EQ(past_too->problems, std::vector<std::string>{
                                    "a: some of its series may end up to five minutes late in subqueries and "
                                    "behind offset: server_error: server error: 503"});
}

TEST(Capture, SaysWhichPrometheusItIsOf) {
  using enum CapturedDialect;
  const std::string problem =
      "the server does not show whether it evaluates as Prometheus 2 or 3: rules that the two answer "
      "differently fail over it";
  for (const auto& [answer, dialect, line] :
       std::vector<std::tuple<std::string, CapturedDialect, std::string>>{
           {steps("2"), prometheus3, "# fairway: dialect 3\n"},
           {steps("3"), prometheus2, "# fairway: dialect 2\n"},
           {steps("7"), unknown, "# fairway: dialect unknown\n"},
           {"[]", unknown, "# fairway: dialect unknown\n"},
           {"503", unknown, "# fairway: dialect unknown\n"}}) {
    const auto capture = Server({{telling, answer}}).capture({"max(a)"});
    ASSERT_TRUE(capture) << capture.error().message;
    EXPECT_EQ(capture->dialect, dialect);
    EXPECT_TRUE(capture->text.starts_with(line)) << capture->text;
    EXPECT_EQ(capture->problems,
              dialect == unknown ? std::vector<std::string>{problem} : std::vector<std::string>{});
    EXPECT_EQ(read_captured_dialect(capture->text), dialect);
  }
  EXPECT_EQ(read_captured_dialect("up 1\n"), unsaid);
  EXPECT_EQ(read_captured_dialect("# fairway: dialect 2\n# fairway: dialect 2\n"), prometheus2);
  EXPECT_EQ(read_captured_dialect("# fairway: dialect 2\n# fairway: dialect 3\n"), unknown);
  const auto other = read_captured_dialect("\n# fairway: dialect 4\n");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message, "line 2: the dialect '4' is none of 2, 3 and unknown");
}

TEST(Capture, TheTwoDialectsTellThemselvesApart) {
  const promql::SeriesStore store;
  for (const auto& [dialect, steps] : std::vector<std::pair<promql::Dialect, double>>{
           {promql::Dialect::prometheus3, 2}, {promql::Dialect::prometheus2, 3}}) {
    const auto parsed = promql::parse(telling, dialect);
    promql::EngineOptions engine;
    engine.dialect = dialect;
    const auto result = promql::instant_query(**parsed, telling, store, now, engine);
    ASSERT_TRUE(result && result->value.vector.size() == 1);
    EXPECT_EQ(result->value.vector.front().value, steps);
  }
}

TEST(Capture, OfAnUnknownPrometheusFailsWhereTheTwoDiffer) {
  using enum DialectSource;
  // The first sample is as old as the range is long: only 2.x has it.
  const std::string text =
      "a 1 1699999700000\n"
      "a 0 1699999990000\n"
      "fairway_captured{metric=\"a\"} 1 1699990000000\n"
      "fairway_captured{metric=\"a\"} 1 1700000000000\n";
  const std::string query = "max(max_over_time(a[5m]))";
  EXPECT_EQ(over(text, query, now, known, promql::Dialect::prometheus3), "does not match");
  EXPECT_EQ(over(text, query, now, known, promql::Dialect::prometheus2), "matches");
  const std::string depends =
      "the capture does not say of which Prometheus it is, and the result depends on it: ";
  EXPECT_EQ(over(text, query, now, unknown),
            depends + "matches in Prometheus 2; does not match in Prometheus 3");
  EXPECT_EQ(over(text, "max(max_over_time(a[4m]))", now, unknown), "does not match");
  // A query of one of the two only.
  const std::string refused =
      "executing PromQL query: bad_data: invalid parameter \"query\": 1:21: parse error: ";
  const std::string newer = "max(max_over_time(a[240]))";
  EXPECT_EQ(over(text, newer, now, known, promql::Dialect::prometheus3), "does not match");
  EXPECT_TRUE(over(text, newer, now, known, promql::Dialect::prometheus2).starts_with(refused))
      << over(text, newer, now, known, promql::Dialect::prometheus2);
  EXPECT_TRUE(over(text, newer, now, unknown).starts_with(depends + refused))
      << over(text, newer, now, unknown);
  const std::string older = "max(holt_winters(a[5m], 0.5, 0.5) >= bool 0)";
  EXPECT_EQ(over(text, older), "matches");
  EXPECT_EQ(over(text, older, now, known, promql::Dialect::prometheus2), "matches");
  EXPECT_TRUE(over(text, older, now, known).starts_with("executing PromQL query: bad_data: "))
      << over(text, older, now, known);
}

TEST(Capture, LacksAMetricThatCannotBeFetched) {
  Server server({{"{__name__=\"a\"}", "503"}, {"{__name__=\"b\"}", present(R"({"__name__":"b"})")}});
  const auto capture =
      server.capture({"max(a)", "max(b)", "max(c @ 1600000000)", "max({__name__=~\"x|y\"})"});
  ASSERT_TRUE(capture) << capture.error().message;
  EXPECT_EQ(capture->problems,
            (std::vector<std::string>{
                "a query looks at a fixed time, which is not captured: max(c @ 1600000000)",
                "a query does not name its metrics: max({__name__=~\"x|y\"})",
                "a is not in it: server_error: server error: 503",
            }));
  EXPECT_EQ(capture->metrics, 1U);
  EXPECT_EQ(over(capture->text, "absent(a) * 0"),
            "the PromQL result is 0, but not for sure: a was not captured");
}

TEST(Capture, IsNotLargerThanItsLimit) {
  Server server({{"{__name__=\"a\"}[301000ms]",
                  past(R"({"__name__":"a"})", R"([[1699999900,"2"],[1699999930,"1"]])")}});
  const auto capture = server.capture({"max(a)"}, {.samples = 1});
  ASSERT_TRUE(capture) << capture.error().message;
  ASSERT_EQ(capture->problems.size(), 1U);
  EXPECT_TRUE(capture->problems.front().starts_with("a is not in it: ")) << capture->problems.front();
  EXPECT_EQ(capture->text, "");
}

TEST(Capture, IsAnErrorWhereNobodyAnswers) {
  PrometheusOptions options;
  options.url = "http://127.0.0.1:1";
  options.proxy_environment = false;
  const auto api = PrometheusApi::create(options).value();
  const std::vector<QuestionPointer> questions{question("max(a)")};
  const auto capture = capture_series(*api, questions);
  ASSERT_FALSE(capture);
  EXPECT_TRUE(capture.error().message.starts_with("asking Prometheus for its time: "))
      << capture.error().message;
}

TEST(Capture, SaysForHowLongItHasWhat) {
  const std::string text =
      "a 0 1699999990000\n"
      "fairway_captured{metric=\"a\"} 1 1699996099000\n"
      "fairway_captured{metric=\"a\"} 1 1700000000000\n";
  EXPECT_EQ(over(text, "max(a)"), "does not match");
  EXPECT_EQ(over(text, "max(max_over_time(a[1h]))"), "does not match");
  const std::string unsure = "the PromQL result is 0, but not for sure: ";
  EXPECT_EQ(over(text, "max(max_over_time(a[2h]))"),
            unsure + "a was captured for a shorter time than the query looks back");
  EXPECT_EQ(over(text, "max(b) or vector(0)"), unsure + "b was not captured");
  EXPECT_EQ(over(text, "max({__name__=~\"x|y\"}) or vector(0)"),
            unsure + "a selector names no metric, and a capture has those that were asked for by name");
  EXPECT_EQ(over(text, "max(a)", now + 60'000), unsure + "a was captured at an earlier time");
  EXPECT_EQ(over(text, "max(a) or vector(0)", now - 3'600'000 - 60'000),
            unsure + "a was captured for a shorter time than the query looks back");
  EXPECT_EQ(over(text, "max(a)", now - 3'600'000 + 60'000),
            "invalid PromQL result length must be one, but is 0");
}

}  // namespace
}  // namespace fairway::risk
