// SPDX-License-Identifier: Apache-2.0

// The snapshot evaluator beside the remote one: on Debian's prometheus, and on servers that fail it.
#include "risk/evaluators/snapshot.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "base/clock.h"
#include "http/url.h"
#include "risk/asked.h"
#include "risk/evaluators/remote.h"
#include "risk/internal/evaluators/on_series.h"
#include "risk/internal/evaluators/snapshot_plan.h"
#include "risk/rounds.h"
#include "support/fake_service.h"
#include "support/prometheus_server.h"

namespace fairway::risk {
namespace {

using namespace std::chrono_literals;
using fairway::testing::FakeService;
using fairway::testing::PrometheusServer;
using testing::ask;
using testing::question;
using testing::shown;

std::shared_ptr<PrometheusApi> api_of(const std::string& url, std::chrono::milliseconds deadline = 5s) {
  PrometheusOptions options;
  options.url = url;
  options.proxy_environment = false;
  options.deadline = deadline;
  return PrometheusApi::create(options).value();
}

/// Returns the answer to each of several queries when all are due.
std::vector<std::string> ask_all(Evaluator& evaluator, const std::vector<std::string>& queries) {
  std::vector<QuestionPointer> questions;
  std::vector<const Question*> due;
  for (const std::string& query : queries) due.push_back(questions.emplace_back(question(query)).get());
  std::vector<std::string> said;
  for (const auto& answer : evaluator.evaluate(due, {}, {}))
    said.push_back(answer ? shown(*answer) : "waits");
  return said;
}

std::string planned(const std::string& query) {
  const QuestionPointer asked = question(query);
  const auto plan = plan_snapshot(*asked->expression);
  if (!plan) return "remote";
  std::string queries;
  if (!plan->instants.empty()) queries = snapshot_query({&*plan}, 0);
  if (plan->window != 0) queries += (queries.empty() ? "" : " and ") + snapshot_query({&*plan}, plan->window);
  return queries;
}

TEST(SnapshotPlan, AsksForPlainSeriesAndLeavesTheRestAlone) {
  for (const auto& [query, wanted] : std::vector<std::pair<std::string, std::string>>{
           {"max(up)", R"({__name__=~"up"})"},
           {"group(b{_id=\"\",type=\"AWS\"}) or 0 * group(a{_id=\"\"})", R"({__name__=~"a|b",_id=""})"},
           {"max({__name__=\"job:up:sum\",a=~\"x|y\"})", R"({__name__=~"job:up:sum",a=~"x|y"})"},
           {"max(max_over_time(a[1h])) or 0 * group(a)", R"({__name__=~"a"} and {__name__=~"a"}[3600000ms])"},
           {"max(max_over_time(a{x=\"1\"}[1h])) or 0 * group(b{y=\"1\"})",
            R"({__name__=~"b",y="1"} and {__name__=~"a",x="1"}[3600000ms])"},
           {"sum(rate(a{x=\"1\"}[90s])) > bool sum(rate(b{x!=\"1\"}[90s]))", R"({__name__=~"a|b"}[90000ms])"},
           {"max(a) > bool time() - 5", R"({__name__=~"a"})"},
           {"max_over_time(a[1h]) and max_over_time(a[2h])", "remote"},
           {"max(a offset 5m)", "remote"},
           {"max(a @ 1600000000)", "remote"},
           {"max(a @ end())", "remote"},
           {"max_over_time(max(a)[1h:1m])", "remote"},
           {"max(timestamp(a)) > bool 0", "remote"},
           {"vector(1)", "remote"},
       }) {
    EXPECT_EQ(planned(query), wanted) << query;
  }
}

/// Returns series that were scraped every 30 s until now, in every state that they can be in.
std::vector<promql::Series> targets_that_come_and_go(promql::Timestamp now) {
  struct State {
    const char* name;
    /// Ages in seconds: first and last sample of each stretch; a stale marker ends it, unless it still goes
    /// on.
    std::vector<std::pair<int, int>> stretches;
    bool marked = true;
  };
  const State states[] = {
      {"steady", {{3595, 5}}, false},
      {"young", {{65, 5}}, false},
      {"late", {{3600, 60}}, false},
      {"silent", {{3620, 290}}, false},
      {"forgotten", {{3620, 320}}, false},
      {"gone", {{3620, 50}}},
      {"long_gone", {{3620, 1500}}},
      {"back", {{3605, 1805}, {365, 5}}, true},
      {"flapping", {{3605, 2705}, {2405, 1205}, {605, 305}, {95, 65}}},
      {"single", {{10, 10}}, false},
  };
  std::vector<promql::Series> all;
  for (const State& state : states) {
    for (const int value : {0, 1}) {
      promql::Series series;
      series.labels = promql::LabelSet::make({{std::string(promql::metric_name_label), state.name},
                                              {"value", std::to_string(value)},
                                              {"kind", value == 0 ? "zero" : "one"}});
      for (const auto& [first, last] : state.stretches) {
        for (int age = first; age >= last; age -= 30)
          series.points.push_back({now - age * 1000L, static_cast<double>(value)});
        const bool goes_on = last <= 30 || !state.marked;
        if (!goes_on) series.points.push_back({series.points.back().time + 30'000, promql::stale_marker()});
      }
      all.push_back(std::move(series));
    }
  }
  return all;
}

/// The machine's clock with an offset, like a clock that was set wrong.
class WrongClock final : public Clock {
 public:
  explicit WrongClock(std::chrono::seconds ahead) : ahead_(ahead) {}
  void set(std::chrono::seconds ahead) { ahead_ = ahead; }
  WallTime now() const override { return system().now() + ahead_.load(); }
  SteadyTime steady() const override { return system().steady(); }
  bool wait_until(SteadyTime until, std::stop_token stop) override {
    return system().wait_until(until, std::move(stop));
  }

 private:
  std::atomic<std::chrono::seconds> ahead_;
};

std::vector<std::string> queries_of_what_comes_and_goes() {
  std::vector<std::string> queries;
  for (const std::string name : {"steady", "young", "late", "silent", "forgotten", "gone", "long_gone",
                                 "back", "flapping", "single", "never_there"}) {
    queries.push_back("max(" + name + ")");
    queries.push_back(name + "{kind=\"one\"}");
    queries.push_back("group(" + name + "{kind=~\"z.*\"}) or 0 * group(steady)");
    queries.push_back("absent(" + name + ") or 0 * group(steady)");
    queries.push_back("max(max_over_time(" + name + "[1h]))");
    queries.push_back("count(count_over_time(" + name + "[10m])) > bool 1");
    queries.push_back("max(" + name + ") or max(min_over_time(" + name + "[10m]))");
    queries.push_back("max(" + name + ") or 0 * max(max_over_time(steady[10m]))");
    queries.push_back("0 * sum(increase(" + name + "[10m])) + on () group(" + name + ")");
    queries.push_back("group(" + name + ") or absent(" + name + ") * (time() < bool 1e9)");
  }
  queries.emplace_back("steady");
  queries.emplace_back("max(steady / young) ");
  queries.emplace_back("max(gone offset 2m)");
  return queries;
}

/// Compares with a server whose lookback is set by its flags, under a clock that is `ahead` of the server's.
void expect_what_remote_says(const std::vector<std::string>& flags, std::chrono::seconds ahead) {
  SCOPED_TRACE((flags.empty() ? "" : flags.front()) + " " + std::to_string(ahead.count()) + " s");
  PrometheusServer server("global: {}\n", flags);
  server.write(targets_that_come_and_go(timestamp_of(Clock::system().now())));
  const std::shared_ptr<PrometheusApi> api = api_of(server.url());
  const auto remote = make_remote(api);
  WrongClock clock(ahead);
  const std::vector<std::string> queries = queries_of_what_comes_and_goes();
  std::map<std::string, std::string> wanted;
  for (const std::string& query : queries) wanted[query] = shown(ask(*remote, query));
  EXPECT_EQ(wanted["max(gone)"], "invalid PromQL result length must be one, but is 0");
  EXPECT_EQ(wanted["max(back)"], "matches");

  // Each by itself, and all that are due at once, again and again until nobody waits.
  const auto alone = make_snapshot(api, {}, clock);
  int equal = 0;
  for (const std::string& query : queries) {
    const std::string said = shown(ask(*alone, query));
    if (said.starts_with("evaluating on a snapshot: ")) continue;
    EXPECT_EQ(said, wanted[query]) << query;
    ++equal;
  }
  EXPECT_GT(equal, static_cast<int>(queries.size()) * 8 / 10);

  const auto together = make_snapshot(api, {}, clock);
  std::vector<std::string> left = queries;
  int slots = 0;
  for (; !left.empty() && slots < 60; ++slots) {
    const std::vector<std::string> said = ask_all(*together, left);
    std::vector<std::string> next;
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (said[i] == "waits" || said[i].starts_with("evaluating on a snapshot: ")) {
        next.push_back(left[i]);
      } else {
        EXPECT_EQ(said[i], wanted[left[i]]) << left[i];
      }
    }
    if (slots == 4) {
      EXPECT_LT(next.size(), queries.size() / 2) << "most are answered in the first slots";
    }
    left = std::move(next);
  }
  EXPECT_TRUE(left.empty()) << left.size() << " wait after " << slots << " slots";
}

TEST(Snapshot, SaysWhatRemoteSaysOrNothing) {
  if (!PrometheusServer::installed()) GTEST_SKIP() << "prometheus is not installed (./dev deps test)";
  expect_what_remote_says({}, 0s);
  expect_what_remote_says({}, 370s);
  expect_what_remote_says({"--query.lookback-delta=15m"}, -370s);
  expect_what_remote_says({"--query.lookback-delta=20s"}, 0s);
}

/// A service that answers the query API by the query's text and its time, and remembers the queries.
class QueryService {
 public:
  using Answer = std::function<http::Response(const std::string& query, const std::string& time)>;
  explicit QueryService(Answer answer)
      : answer_(std::move(answer)), service_([this](const http::Request& request) {
          std::string query, time;
          for (const auto& [name, value] : http::parse_query(request.query)) {
            if (name == "query") query = value;
            if (name == "time") time = value;
          }
          const std::lock_guard lock(mutex_);
          queries_.push_back(query);
          return answer_(query, time);
        }) {}

  std::string url() const { return service_.url(""); }
  std::vector<std::string> take_queries() {
    const std::lock_guard lock(mutex_);
    return std::exchange(queries_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> queries_;
  Answer answer_;
  FakeService service_;
};

http::Response success(const std::string& result) {
  return http::Response::json(
      200, R"({"status":"success","data":{"resultType":"vector","result":)" + result + "}}");
}

TEST(Snapshot, AFetchThatFailsSendsItsQuestionsOutOneByOne) {
  QueryService service([](const std::string& query, const std::string&) {
    if (query.starts_with("{__name__")) return http::Response::text(503, "");
    return success(R"([{"metric":{},"value":[1600000000,"1"]}])");
  });
  FakeClock clock;
  const auto snapshot = make_snapshot(api_of(service.url()), {}, clock);
  const std::string unknown = "fetching a snapshot: server_error: server error: 503";
  EXPECT_EQ(ask_all(*snapshot, {"max(a)", "max(b)"}), (std::vector<std::string>{unknown, unknown}));
  EXPECT_EQ(service.take_queries(), (std::vector<std::string>{R"({__name__=~"a|b"})"}));
  EXPECT_EQ(ask_all(*snapshot, {"max(a)", "max(b)"}), (std::vector<std::string>{"matches", "waits"}));
  EXPECT_EQ(ask_all(*snapshot, {"max(b)"}), (std::vector<std::string>{"matches"}));
  EXPECT_EQ(service.take_queries(), (std::vector<std::string>{"max(a)", "max(b)"}));
  // Later each is tried again, and after a failure no sooner than after twice that time.
  clock.advance(1h);
  EXPECT_EQ(ask_all(*snapshot, {"max(a)", "max(b)"}), (std::vector<std::string>{unknown, unknown}));
  EXPECT_EQ(service.take_queries(), (std::vector<std::string>{R"({__name__=~"a"})", R"({__name__=~"b"})"}));
  EXPECT_EQ(ask_all(*snapshot, {"max(a)", "max(b)"}), (std::vector<std::string>{"matches", "waits"}));
  clock.advance(50min);
  EXPECT_EQ(ask_all(*snapshot, {"max(a)", "max(b)"}), (std::vector<std::string>{"matches", "waits"}));
  EXPECT_EQ(service.take_queries(), (std::vector<std::string>{"max(a)", "max(a)"}));
}

TEST(Snapshot, AServerThatWasNotReachedIsAskedForAllOfThemAgain) {
  std::string url;
  {
    QueryService gone([](const std::string&, const std::string&) { return success("[]"); });
    url = gone.url();
  }
  const auto snapshot = make_snapshot(api_of(url), {}, Clock::system());
  for (int i = 0; i < 2; ++i) {
    for (const std::string& said : ask_all(*snapshot, {"max(a)", "max(b)"}))
      EXPECT_TRUE(said.starts_with("fetching a snapshot: GET http://")) << said;
  }
}

/// Rounds of a cluster with one risk for each query.
class Turns {
 public:
  Turns(Evaluator& evaluator, FakeClock& clock, int risks)
      : rounds_(registry_, evaluator, {}, clock), clock_(clock) {
    for (int i = 10; i < 10 + risks; ++i) {
      const std::string number = std::to_string(i);
      update_.risks.push_back(testing::risk("R" + number, {testing::promql_rule("max(m" + number + ")")}));
    }
  }

  /// Returns the number of unknown risks in each of the next turns.
  std::vector<int> unknown(int turns) {
    std::vector<int> counts;
    for (int i = 0; i < turns; ++i) {
      const auto verdicts = rounds_.run(std::span(&update_, 1)).value();
      counts.push_back(static_cast<int>(
          std::ranges::count(verdicts.front().risks, Outcome::failed, &RiskVerdict::outcome)));
      clock_.advance(10min);
    }
    return counts;
  }

 private:
  const Registry registry_ = standard_registry();
  Rounds rounds_;
  FakeClock& clock_;
  ConditionalUpdate update_{testing::version("4.7.1"), {}};
};

/// Returns a sample with value 0 for each metric that a fetch names, or for a query.
http::Response zeros(const std::string& query) {
  if (!query.starts_with("{")) return success(R"([{"metric":{},"value":[1600000000,"0"]}])");
  std::string result;
  for (std::size_t at = query.find_first_of("\"|"); query.size() - at > 3; at += 4)
    result += (result.empty() ? "" : ",") +
              (R"({"metric":{"__name__":")" + query.substr(at + 1, 3) + R"("},"value":[1600000000,"0"]})");
  return success("[" + result + "]");
}

TEST(Snapshot, ABlipCostsTwoTurns) {
  for (const int risks : {2, 20}) {
    std::atomic<int> calls = 0;
    QueryService service([&](const std::string& query, const std::string&) {
      return ++calls == 8 ? http::Response::text(503, "") : zeros(query);
    });
    FakeClock clock;
    const auto snapshot = make_snapshot(api_of(service.url()), {}, clock);
    Turns turns(*snapshot, clock, risks);
    EXPECT_EQ(turns.unknown(6), std::vector<int>(6, 0)) << "one fetch an hour";
    calls = 7;
    EXPECT_EQ(turns.unknown(4), (std::vector<int>{risks, risks - 1, 0, 0}));
    EXPECT_EQ(turns.unknown(12), std::vector<int>(12, 0));
    service.take_queries();
    EXPECT_EQ(turns.unknown(6), std::vector<int>(6, 0));
    EXPECT_LE(service.take_queries().size(), 2U) << risks;
  }
}

TEST(Snapshot, FindsTheMetricThatCannotBeFetched) {
  FakeClock clock;
  std::map<std::string, SteadyTime> last;
  QueryService service([&](const std::string& query, const std::string&) {
    const auto [before, is_new] = last.try_emplace(query, clock.steady());
    if (!is_new) {
      EXPECT_GE(clock.steady() - before->second, 1h) << query;
    }
    before->second = clock.steady();
    const bool heavy = query.starts_with("{") && query.find("m17") != std::string::npos;
    return heavy ? http::Response::text(503, "") : zeros(query);
  });
  const auto snapshot = make_snapshot(api_of(service.url()), {}, clock);
  Turns turns(*snapshot, clock, 20);
  EXPECT_EQ(turns.unknown(9), (std::vector<int>{20, 19, 10, 5, 3, 2, 1, 0, 0}));
  for (int turn = 0; turn < 6 * 24; ++turn) EXPECT_LE(turns.unknown(1).front(), 1) << turn;
  service.take_queries();
  EXPECT_EQ(turns.unknown(6), std::vector<int>(6, 0));
  EXPECT_LE(service.take_queries().size(), 4U);
}

TEST(Snapshot, AfterADeadServerAllComeTogetherAgain) {
  std::atomic<bool> dead = true;
  QueryService service([&](const std::string& query, const std::string&) {
    return dead ? http::Response::text(503, "") : zeros(query);
  });
  FakeClock clock;
  const auto snapshot = make_snapshot(api_of(service.url()), {}, clock);
  Turns turns(*snapshot, clock, 20);
  EXPECT_EQ(turns.unknown(40), std::vector<int>(40, 20));
  dead = false;
  EXPECT_EQ(turns.unknown(8).back(), 0);
}

http::Response matrix(const std::string& result) {
  return http::Response::json(
      200, R"({"status":"success","data":{"resultType":"matrix","result":)" + result + "}}");
}

TEST(Snapshot, LeavesToTheServerWhatDependsOnItsVersion) {
  // A sample as old as the range: Prometheus 2 counts it, 3 does not.
  QueryService service([&](const std::string& query, const std::string& time) {
    if (query.starts_with("{__name__")) {
      const auto point = [&](int seconds, int value) {
        const std::size_t dot = time.find('.');
        return "[" + std::to_string(std::stoll(time) - seconds) + time.substr(std::min(dot, time.size())) +
               ",\"" + std::to_string(value) + "\"]";
      };
      return matrix(R"([{"metric":{"__name__":"a"},"values":[)" + point(60, 7) + "," + point(30, 0) + "," +
                    point(0, 0) + "]}]");
    }
    return success(R"([{"metric":{},"value":[1600000000,"1"]}])");
  });
  const auto snapshot = make_snapshot(api_of(service.url()), {}, Clock::system());
  const std::string differs = "max(max_over_time(a[1m])) > bool 5", agrees = "max(min_over_time(a[1m]))";
  EXPECT_EQ(ask_all(*snapshot, {differs, agrees}),
            (std::vector<std::string>{
                "evaluating on a snapshot: Prometheus 2 and Prometheus 3 answer this differently",
                "does not match"}));
  EXPECT_EQ(ask_all(*snapshot, {differs}), (std::vector<std::string>{"matches"}));
  // As one of many it waits for its own slot.
  EXPECT_EQ(ask_all(*snapshot, {agrees, differs}), (std::vector<std::string>{"does not match", "waits"}));
  EXPECT_EQ(ask_all(*snapshot, {differs}), (std::vector<std::string>{"matches"}));
  const std::string fetch = R"({__name__=~"a"}[60000ms])";
  EXPECT_EQ(service.take_queries(), (std::vector<std::string>{fetch, differs, fetch, differs}));
  // What only one of the two understands is not evaluated here at all.
  for (const std::string query : {"max({\"a\"})", "max(first_over_time(a[1m]))"}) {
    EXPECT_EQ(ask_all(*snapshot, {query}), (std::vector<std::string>{"matches"}));
    EXPECT_EQ(service.take_queries(), (std::vector<std::string>{query}));
  }
}

TEST(Snapshot, TrustsARangeOnlyAtATimeThatTheServerSaysIsItsPresent) {
  std::vector<std::string> times;
  QueryService service([&](const std::string& query, const std::string& time) {
    if (query.find('[') != std::string::npos && query.starts_with("{")) {
      times.push_back(time);
      return matrix(R"([{"metric":{"__name__":"a"},"values":[[)" + time + R"(,"0"]]}])");
    }
    if (query.starts_with("{")) return success("[]");
    return success(R"([{"metric":{},"value":[1600000000,"1"]}])");
  });
  WrongClock clock(1h);
  const auto snapshot = make_snapshot(api_of(service.url()), {}, clock);
  const std::string range = "max(max_over_time(a[1m]))", another = "max(min_over_time(a[1m]))",
                    time = "group(b) or absent(b) * (time() > bool 0)", present = "absent(b)";
  const std::string unsure = "evaluating on a snapshot: the server does not say what time it has";
  EXPECT_EQ(ask_all(*snapshot, {range, another}), (std::vector<std::string>{unsure, "waits"}));
  EXPECT_EQ(ask_all(*snapshot, {present}), (std::vector<std::string>{"matches"}));
  // Whose turn it was goes by itself; the others are asked for at the server's own time.
  EXPECT_EQ(ask_all(*snapshot, {range}), (std::vector<std::string>{"matches"}));
  EXPECT_EQ(ask_all(*snapshot, {another, range}),
            (std::vector<std::string>{"does not match", "does not match"}));
  ASSERT_EQ(times.size(), 2U);
  EXPECT_NEAR(std::stod(times[1]), std::stod(times[0]) - 3600, 10);
  // And nobody tells the time of an answer without samples.
  EXPECT_EQ(ask_all(*snapshot, {time}), (std::vector<std::string>{unsure}));
}

TEST(Snapshot, TrustsNoTimeThatMayHaveBeenTheServersFuture) {
  WrongClock clock(-4s);
  QueryService service([&](const std::string& query, const std::string& time) {
    if (!query.starts_with("{")) return success(R"([{"metric":{},"value":[1600000000,"1"]}])");
    clock.set(20s);  // it took 24 seconds: when they began, the server's clock was behind
    return matrix(R"([{"metric":{"__name__":"a"},"values":[[)" + time + R"(,"0"]]}])");
  });
  const auto snapshot = make_snapshot(api_of(service.url()), {}, clock);
  EXPECT_EQ(ask_all(*snapshot, {"max(max_over_time(a[1m]))"}),
            (std::vector<std::string>{"evaluating on a snapshot: the server does not say what time it has"}));
}

TEST(Snapshot, ComesTogetherAgainAfterAFailure) {
  using namespace std::chrono_literals;
  FakeClock clock{parse_time("2026-02-19T12:00:00Z").value()};
  bool first = true;
  std::vector<std::pair<std::string, SteadyTime>> sent;
  QueryService service([&](const std::string& query, const std::string&) {
    sent.emplace_back(query, clock.steady());
    if (std::exchange(first, false)) return http::Response::text(503, "");
    if (query.starts_with("{")) return success(R"([{"metric":{"__name__":"up"},"value":[1600000000,"0"]}])");
    return success(R"([{"metric":{},"value":[1600000000,"0"]}])");
  });
  const auto snapshot = make_snapshot(api_of(service.url()), {}, clock);
  const Registry registry = standard_registry();
  Rounds rounds(registry, *snapshot, {}, clock);
  ConditionalUpdate update{testing::version("4.7.1"), {}};
  for (const char* query : {"max(up)", "min(up)", "sum(up)", "avg(up)"})
    update.risks.push_back(testing::risk(std::string("R") + query, {testing::promql_rule(query)}));
  for (int i = 0; i < 6 * 8; ++i) {
    const auto verdicts = rounds.run(std::vector{update});
    ASSERT_TRUE(verdicts.has_value());
    if (i >= 4) {
      EXPECT_EQ(verdicts->front().recommended.status, Status::is_true) << i;
    }
    clock.advance(10min);
  }
  std::map<std::string, SteadyTime> last;
  int lately = 0;
  for (const auto& [query, at] : sent) {
    const auto [before, is_new] = last.try_emplace(query, at);
    if (!is_new) {
      EXPECT_GE(at - before->second, 1h) << query;
    }
    before->second = at;
    if (clock.steady() - at <= 4h) ++lately;
  }
  EXPECT_EQ(lately, 4) << "once an hour for all of them";
}

TEST(Snapshot, TakesAWarningForAMissingPart) {
  // A list as the API has it, and what is none.
  for (const auto& [warnings, shown_warning] :
       std::vector<std::pair<std::string, std::string>>{{R"(["no store matched"])", "no store matched"},
                                                        {R"("no store matched")", "no store matched"},
                                                        {R"({"a":1})", R"({"a":1})"}}) {
    QueryService service([&](const std::string& query, const std::string&) {
      const std::string result =
          query.starts_with("{") ? "[]" : R"([{"metric":{},"value":[1600000000,"1"]}])";
      return http::Response::json(200, R"({"status":"success","warnings":)" + warnings +
                                           R"(,"data":{"resultType":"vector","result":)" + result + "}}");
    });
    const auto snapshot = make_snapshot(api_of(service.url()), {}, Clock::system());
    EXPECT_EQ(shown(ask(*snapshot, "absent(a) * 0")),
              "fetching a snapshot: the server warns: " + shown_warning);
    // Of a query that is sent as it is they are passed on.
    const Answer answer = ask(*snapshot, "absent(a) * 0");
    EXPECT_EQ(shown(answer), "matches");
    EXPECT_EQ(answer.warnings, std::vector<std::string>{shown_warning});
  }
}

TEST(Snapshot, AnswersThatAreNoSeriesAreFailures) {
  std::string reply;
  QueryService service(
      [&reply](const std::string&, const std::string&) { return http::Response::json(200, reply); });
  for (const auto& [data, wanted] : std::vector<std::pair<std::string, std::string>>{
           {R"({"resultType":"scalar","result":[1,"1"]})", "the result is scalar, and no series"},
           {R"({"resultType":"vector","result":{}})", "the result is no list"},
           {R"({"resultType":"vector","result":[{"value":[1,"1"]}]})", "a series has no labels"},
           {R"({"resultType":"vector","result":[{"metric":{"a":1},"value":[1,"1"]}]})",
            "the label a is no text"},
           {R"({"resultType":"vector","result":[{"metric":{}}]})", "a series has no samples"},
           {R"({"resultType":"vector","result":[{"metric":{},"value":[1,1]}]})",
            "a sample is no pair of a time and a text"},
           {R"({"resultType":"vector","result":[{"metric":{},"value":[1,"x"]}]})",
            "'x' is not a sample's value"},
           {R"({"resultType":"vector","result":[{"metric":{},"value":[1e300,"1"]}]})",
            "a sample has a time that is not a number of this range"},
           {R"({"resultType":"matrix","result":[{"metric":{},"values":"1"}]})",
            "a series has no list of samples"},
           {R"({"resultType":"vector","result":[{"metric":{"a":"1"},"value":[5,"1"]},)"
            R"({"metric":{"a":"1"},"value":[5,"0"]}]})",
            R"(the series {a="1"} is there twice)"},
           {R"({"resultType":"vector","result":[{"metric":{"a":"1"},"value":[5,"1"]},)"
            R"({"metric":{"a":"2"},"value":[6,"0"]}]})",
            "the samples of one instant have different times, or none"},
           {R"({"resultType":"vector","result":[{"metric":{"a":"1"},"value":[0,"1"]}]})",
            "the samples of one instant have different times, or none"},
       }) {
    reply = R"({"status":"success","data":)" + data + "}";
    const auto snapshot = make_snapshot(api_of(service.url()), {}, Clock::system());
    EXPECT_EQ(shown(ask(*snapshot, "max(a)")), "fetching a snapshot: bad_response: " + wanted) << data;
  }
}

TEST(Snapshot, LeavesToTheServerWhatIsNotOfferedHere) {
  QueryService service([](const std::string& query, const std::string&) {
    if (!query.starts_with("{")) return success(R"([{"metric":{},"value":[1600000000,"1"]}])");
    return success(R"([{"metric":{"__name__":"a"},"histogram":[1600000000,{"count":"1","sum":"1"}]},)"
                   R"({"metric":{"__name__":"b"},"value":[1600000000,"0"]}])");
  });
  FakeClock clock;
  const auto snapshot = make_snapshot(api_of(service.url()), {}, clock);
  const std::vector<std::string> both = {"max(a)", "max(b)"};
  const std::vector<std::string> said = ask_all(*snapshot, both);
  EXPECT_TRUE(said[0].starts_with("evaluating on a snapshot: ")) << said[0];
  EXPECT_NE(said[0].find("native histograms"), std::string::npos) << said[0];
  EXPECT_EQ(said[1], "does not match");
  EXPECT_EQ(ask_all(*snapshot, both), (std::vector<std::string>{"matches", "waits"}));
  // It is known for a while.
  clock.advance(1h);
  EXPECT_EQ(ask_all(*snapshot, both), (std::vector<std::string>{"matches", "waits"}));
  EXPECT_EQ(ask_all(*snapshot, {"max(b)", "max(a)"}), (std::vector<std::string>{"does not match", "waits"}));
}

TEST(Snapshot, LeavesToTheServerWhatIsAboveItsOwnLimits) {
  QueryService service([](const std::string& query, const std::string&) {
    if (!query.starts_with("{")) return success(R"([{"metric":{},"value":[1600000000,"1"]}])");
    return success(R"([{"metric":{"__name__":"a","x":"1"},"value":[1600000000,"0"]},)"
                   R"({"metric":{"__name__":"a","x":"2"},"value":[1600000000,"0"]}])");
  });
  for (const bool late : {false, true}) {
    SnapshotOptions options;
    if (late) {
      options.evaluation_deadline = -1s;
    } else {
      options.engine.max_series = 1;
    }
    const auto snapshot = make_snapshot(api_of(service.url()), options, Clock::system());
    const std::string said = shown(ask(*snapshot, "max(a)"));
    EXPECT_TRUE(said.starts_with("evaluating on a snapshot: ")) << said;
    EXPECT_EQ(shown(ask(*snapshot, "max(a)")), "matches");
  }
}

TEST(Snapshot, TooManyNamesTakeASecondFetchAndThenAnotherSlot) {
  QueryService service([](const std::string& query, const std::string&) {
    std::string result;
    for (const std::string name : {"aaaa", "bbbb", "cccc", "dddd", "eeee"}) {
      if (query.find(name) == std::string::npos) continue;
      result += (result.empty() ? "" : ",") +
                (R"({"metric":{"__name__":")" + name + R"("},"value":[1600000000,"1"]})");
    }
    return success("[" + result + "]");
  });
  const auto snapshot = make_snapshot(api_of(service.url()), {.max_names_bytes = 10}, Clock::system());
  EXPECT_EQ(ask_all(*snapshot,
                    {"max(aaaa)", "max(bbbb)", "max(cccc)", "max(dddd)", "max(eeee)", "max(aaaa or bbbb)"}),
            (std::vector<std::string>{"matches", "matches", "matches", "matches", "waits", "waits"}));
  EXPECT_EQ(service.take_queries(),
            (std::vector<std::string>{R"({__name__=~"aaaa|bbbb"})", R"({__name__=~"cccc|dddd"})"}));
}

// The enhancement lets one query go in ten minutes.
TEST(Snapshot, ASlotSendsOneQuery) {
  QueryService service([](const std::string& query, const std::string& time) {
    if (!query.starts_with("{")) return success(R"([{"metric":{},"value":[1600000000,"1"]}])");
    if (query.find('[') != std::string::npos)
      return matrix(R"([{"metric":{"__name__":"a"},"values":[[)" + time + R"(,"0"]]}])");
    return success(R"([{"metric":{"__name__":"b"},"value":[1600000000,"0"]}])");
  });
  const auto snapshot = make_snapshot(api_of(service.url()), {}, Clock::system());
  const std::string range = "max(max_over_time(a[1m]))", present = "max(b)",
                    both = "max(c) or max(max_over_time(a[1m]))";
  const auto said = [](std::vector<std::string> answers) { return answers; };
  EXPECT_EQ(ask_all(*snapshot, {range, present, both, range + " + 0"}),
            said({"does not match", "waits", "waits", "does not match"}));
  EXPECT_EQ(service.take_queries(), said({R"({__name__=~"a"}[60000ms])"}));
  EXPECT_EQ(ask_all(*snapshot, {present, range, both, "min(b)"}),
            said({"does not match", "waits", "waits", "does not match"}));
  EXPECT_EQ(service.take_queries(), said({R"({__name__=~"b"})"}));
  // What needs both would take two queries of one time.
  EXPECT_EQ(ask_all(*snapshot, {both, range, present}), said({"matches", "waits", "waits"}));
  EXPECT_EQ(service.take_queries(), said({both}));
}

// Those that a fetch failed with are fetched again in a slot of their own.
TEST(Snapshot, ASlotSendsOneQueryAfterAFailureToo) {
  QueryService service([](const std::string& query, const std::string&) {
    return query.find("bad") == std::string::npos || !query.starts_with("{")
               ? success(R"([{"metric":{"__name__":"b"},"value":[1600000000,"0"]}])")
               : http::Response::text(503, "");
  });
  FakeClock clock;
  const auto snapshot = make_snapshot(api_of(service.url()), {}, clock);
  ask_all(*snapshot, {"max(bad)"});
  ask_all(*snapshot, {"max(bad)"});
  EXPECT_EQ(ask_all(*snapshot, {"max(b)"}), std::vector<std::string>{"does not match"});
  service.take_queries();
  clock.advance(1h);
  for (int slot = 0; slot < 6; ++slot) {
    ask_all(*snapshot, slot % 2 == 0 ? std::vector<std::string>{"max(b)", "max(bad)"}
                                     : std::vector<std::string>{"max(bad)", "max(b)"});
    EXPECT_EQ(service.take_queries().size(), 1U) << slot;
    clock.advance(30min);
  }
}

// 100 risks of 30 calls in one another over 20,000 series, and names of labels of 16 KB.
TEST(Snapshot, RefusesWhatCostsTooMuchForTheSeriesThatItFetched) {
  std::string series = R"({"metric":{"__name__":"honest"},"value":[1600000000,"1"]})";
  for (int i = 0; i < 20'000; ++i)
    series += R"(,{"metric":{"__name__":"many","pod":"some-application-)" + std::to_string(i) +
              R"("},"value":[1600000000,"1"]})";
  QueryService service([&](const std::string&, const std::string&) { return success("[" + series + "]"); });
  FakeClock clock;
  const auto snapshot = make_snapshot(api_of(service.url()), {}, clock);
  const Registry registry = standard_registry();
  Rounds rounds(registry, *snapshot, {}, clock);
  ConditionalUpdate update{testing::version("4.7.1"), {}};
  const auto add = [&](const std::string& name, const std::string& query) {
    update.risks.push_back(testing::risk(name, {testing::promql_rule(query)}));
  };
  for (int i = 0; i < 100; ++i) {
    std::string query = "many";
    for (int label = 0; label < 30; ++label)
      query = "label_replace(" + query + ", \"l" + std::to_string(label) + "\", \"$1-" + std::to_string(i) +
              "\", \"pod\", \"(.*)\")";
    add("A" + std::to_string(i), "count(" + query + ") > bool 1");
  }
  const std::string name(16'000, 'x');
  add("CountValues", "count(count_values(\"" + name + "\", many)) > bool 0");
  add("LabelJoin", "count(label_join(many, \"" + name + "\", \"-\", \"pod\")) > bool 0");
  add("LabelReplace", "count(label_replace(many, \"" + name + "\", \"$1\", \"pod\", \"(.*)\")) > bool 0");
  add("Subquery", "max_over_time(count(many)[1d:1s]) > bool 0");
  add("Honest", "max(honest)");
  add("Wide", "count(many) > bool 30000");
  const auto verdicts = rounds.run(std::span(&update, 1));
  ASSERT_TRUE(verdicts.has_value());
  EXPECT_EQ(service.take_queries().size(), 1U);
  for (std::size_t i = 0; i < update.risks.size(); ++i) {
    const RiskVerdict& verdict = verdicts->front().risks[i];
    if (update.risks[i].name == "Honest") {
      EXPECT_EQ(verdict.outcome, Outcome::matches) << verdict.error;
    } else if (update.risks[i].name == "Wide") {
      EXPECT_EQ(verdict.outcome, Outcome::does_not_match) << verdict.error;
    } else {
      EXPECT_TRUE(verdict.error.starts_with("PromQL query may cost too much: ")) << verdict.error;
    }
  }
}

TEST(Snapshot, AServerThatAnswersTooMuchIsCutOffAndTheNextSlotRecovers) {
  QueryService service([](const std::string& query, const std::string&) {
    if (query.starts_with("{__name__")) return success("[" + std::string(std::size_t{2} << 20, ' ') + "]");
    return success(R"([{"metric":{},"value":[1600000000,"0"]}])");
  });
  const auto snapshot = make_snapshot(api_of(service.url()), {.max_answer_bytes = 1 << 20}, Clock::system());
  const std::string said = shown(ask(*snapshot, "max(a)"));
  EXPECT_TRUE(said.starts_with("fetching a snapshot: ")) << said;
  EXPECT_EQ(shown(ask(*snapshot, "max(a)")), "does not match");
}

TEST(Snapshot, TakesNoMoreSeriesAndSamplesThanItsLimits) {
  // Three series of one sample, or one of three.
  QueryService service([](const std::string& query, const std::string&) {
    if (query.find('[') == std::string::npos) {
      std::string result;
      for (const char* x : {"1", "2", "3"})
        result += std::string(result.empty() ? "" : ",") + R"({"metric":{"__name__":"a","x":")" + x +
                  R"("},"value":[1600000000,"1"]})";
      return success("[" + result + "]");
    }
    return matrix(R"([{"metric":{"__name__":"a"},"values":[[1,"1"],[2,"1"],[3,"1"]]}])");
  });
  for (const auto& [query, limits, wanted] : std::vector<std::tuple<std::string, FetchLimits, std::string>>{
           {"max(a)", {.series = 3, .samples = 3}, "matches"},
           {"max(a)",
            {.series = 2},
            "fetching a snapshot: the answer has more than the 2 series that are taken"},
           {"max(a)",
            {.samples = 2},
            "fetching a snapshot: the answer has more than the 2 samples that are taken"},
           {"max(max_over_time(a[1m]))",
            {.samples = 2},
            "fetching a snapshot: the answer has more than the 2 samples that are taken"}}) {
    const auto snapshot = make_snapshot(api_of(service.url()), {.most = limits}, Clock::system());
    EXPECT_EQ(shown(ask(*snapshot, query)), wanted);
  }
}

TEST(Snapshot, AnAnswerOfNothingButBracketsIsNotEvenRead) {
  std::string body = R"({"status":"success","data":{"resultType":"vector","result":[)";
  for (int i = 0; i < 8'000'000; ++i) body += "[],";
  QueryService service(
      [&](const std::string&, const std::string&) { return http::Response::json(200, body + "[]]}}"); });
  const auto snapshot = make_snapshot(api_of(service.url()), {}, Clock::system());
  EXPECT_EQ(shown(ask(*snapshot, "max(a)")),
            "fetching a snapshot: bad_response: the answer has more than 3000000 lists and objects");
}

TEST(Snapshot, OneRoundAnswersAllRisksOfAnUpdateWithOneQuery) {
  QueryService service([](const std::string&, const std::string&) {
    return success(
        R"([{"metric":{"__name__":"a"},"value":[1600000000,"1"]},{"metric":{"__name__":"b"},"value":[1600000000,"0"]}])");
  });
  FakeClock clock;
  const auto snapshot = make_snapshot(api_of(service.url()), {}, clock);
  const Registry registry = standard_registry();
  Rounds rounds(registry, *snapshot, {}, clock);
  const ConditionalUpdate update{Version::parse("4.7.4").value(),
                                 {testing::risk("A", {testing::promql_rule("max(a)")}),
                                  testing::risk("B", {testing::promql_rule("max(b)")}),
                                  testing::risk("C", {testing::promql_rule("group(a) or 0 * group(b)")})}};
  const auto verdicts = rounds.run(std::span(&update, 1)).value();
  EXPECT_EQ(verdicts.front().recommended.reason, "MultipleReasons");
  EXPECT_EQ(verdicts.front().risks[1].outcome, Outcome::does_not_match);
  EXPECT_EQ(verdicts.front().risks[1].evaluator, "snapshot");
  EXPECT_EQ(service.take_queries().size(), 1U);
}

}  // namespace
}  // namespace fairway::risk
