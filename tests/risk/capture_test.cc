// What is asked of a Prometheus for a capture, what becomes of the answers, and what evaluations over it say.
#include "risk/evaluators/capture.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/text.h"
#include "http/url.h"
#include "promql/engine/exposition.h"
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

/// A Prometheus that knows the answers to some queries, and to others that there is nothing.
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

/// `[{"metric":{...},"value":[...]}]`
std::string present(const std::string& metric) {
  return R"([{"metric":)" + metric + R"(,"value":[1700000000,"1"]}])";
}
std::string past(const std::string& metric, const std::string& values) {
  return R"([{"metric":)" + metric + R"(,"values":)" + values + "}]";
}

/// What an evaluation over a text says of a query, at a time.
std::string over(const std::string& text, const std::string& query, promql::Timestamp time = now) {
  promql::SeriesStore store;
  EXPECT_TRUE(promql::read_exposition(text, now, store).has_value()) << text;
  FixedSeries series(store, time, Clock::system());
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
                                "{__name__=\"a\"} at 1700000000.000",
                                "{__name__=\"a\"}[3600000ms] at 1700000000.000",
                                "{__name__=\"a\"}[3600000ms] at 1699996400.000",
                                "{__name__=\"a\"}[301000ms] at 1699992800.000",
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
            "a{path=\"C:\\\\x \\\"y\\\"\\nz\",\"with.dot\"=\"1\"} 1000000 1699999930500\n"
            "fairway_captured{metric=\"a\"} 1 1699999699000\n"
            "fairway_captured{metric=\"a\"} 1 1700000000000\n");
  EXPECT_TRUE(capture->problems.empty());
  EXPECT_EQ(over(capture->text, "max(a == bool 1000000)"), "matches");
}

TEST(Capture, LeavesOutWhatHasEndedWhereThePresentIsLookedAt) {
  const std::string values = R"([[1699999600,"1"],[1699999900,"1"]])";
  const std::map<std::string, std::string> results{
      {"{__name__=\"a\"}[301000ms]", past(R"({"__name__":"a"})", values)},
      {"{__name__=\"a\"}[3901000ms]", past(R"({"__name__":"a"})", values)}};
  const auto instant = Server(results).capture({"max(a)"});
  ASSERT_TRUE(instant) << instant.error().message;
  EXPECT_EQ(instant->absent, std::vector<std::string>{"a"});
  EXPECT_EQ(over(instant->text, "absent(a)"), "matches");
  // A range still has it.
  const auto range = Server(results).capture({"max(max_over_time(a[1h]))"});
  ASSERT_TRUE(range) << range.error().message;
  EXPECT_EQ(range->samples, 2U);
  EXPECT_EQ(over(range->text, "max(max_over_time(a[1h]))"), "matches");
  // Both cannot be had: the present counts, and the capture says so.
  const auto both = Server(results).capture({"max(max_over_time(a[1h]))", "max(a)"});
  ASSERT_TRUE(both) << both.error().message;
  EXPECT_EQ(both->samples, 1U);
  EXPECT_EQ(over(both->text, "absent(a)"), "matches");
  EXPECT_EQ(both->problems, std::vector<std::string>{"a: 1 of its series ended within the last five minutes, "
                                                     "of which ranges lack their last samples"});
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
