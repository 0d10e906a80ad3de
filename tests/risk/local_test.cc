// SPDX-License-Identifier: Apache-2.0

// The evaluator that reads series itself.
#include "risk/evaluators/local.h"
#include "risk/evaluators/fixed_series.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "base/clock.h"
#include "risk/asked.h"
#include "risk/internal/evaluators/on_series.h"
#include "risk/rounds.h"
#include "support/fake_service.h"
#include "support/temp_directory.h"

namespace fairway::risk {
namespace {

using namespace std::chrono_literals;
using fairway::testing::FakeService;
using fairway::testing::TempDirectory;
using testing::ask;
using testing::shown;

constexpr const char* proxy_query = "max(cluster_proxy_enabled{type=~\"https?\"})";

class Local : public ::testing::Test {
 protected:
  std::unique_ptr<LocalEvaluator> make(LocalOptions options) {
    options.proxy_environment = false;
    auto made = LocalEvaluator::create(options, clock_);
    if (!made) throw std::runtime_error(made.error().message);
    return *std::move(made);
  }
  std::unique_ptr<LocalEvaluator> of_file() { return make({.files = {folder_ / "series"}}); }
  void write(const std::string& text) { folder_.write("series", text); }

  FakeClock clock_{parse_time("2026-02-19T12:00:00Z").value()};
  const TempDirectory folder_;
};

TEST_F(Local, ReadsAFileAnewWhenItIsOld) {
  write("# HELP cluster_proxy_enabled x\ncluster_proxy_enabled{type=\"http\"} 0\nother 1\n");
  const auto evaluator = of_file();
  EXPECT_EQ(shown(ask(*evaluator, proxy_query)), "does not match");
  EXPECT_EQ(evaluator->series_count(), 1U);  // what nobody asks for is not kept
  write("cluster_proxy_enabled{type=\"http\"} 1\n");
  clock_.advance(29s);
  EXPECT_EQ(shown(ask(*evaluator, proxy_query)), "does not match");
  clock_.advance(1s);
  EXPECT_EQ(shown(ask(*evaluator, proxy_query)), "matches");
  // A series that is gone has ended at once.
  write("cluster_proxy_enabled{type=\"none\"} 1\n");
  clock_.advance(30s);
  EXPECT_EQ(shown(ask(*evaluator, proxy_query)), "invalid PromQL result length must be one, but is 0");
}

TEST_F(Local, NeverSaysNoWhereItCannotKnow) {
  const std::string query = "group(broken == 1) or 0 * group(cluster_version)";
  write("broken 1\ncluster_version 1\n");
  const auto evaluator = of_file();
  EXPECT_EQ(shown(ask(*evaluator, query)), "matches");
  write("broken 0\ncluster_version 1\nbroken{ 1\n");
  clock_.advance(1min);
  // Nothing of a file is taken that is not understood as a whole.
  EXPECT_TRUE(shown(ask(*evaluator, query))
                  .starts_with("invalid PromQL result length must be one, but is 0; reading "));
  EXPECT_TRUE(shown(ask(*evaluator, "vector(0)"))
                  .starts_with("the PromQL result is 0, but not for sure: reading " +
                               (folder_ / "series").string() + ": line 3: "));
  EXPECT_EQ(shown(ask(*evaluator, "vector(1)")), "matches");
  std::filesystem::remove(folder_ / "series");
  clock_.advance(1min);
  EXPECT_TRUE(shown(ask(*evaluator, "vector(0)")).starts_with("the PromQL result is 0, but not for sure: "));
  write("broken 0\ncluster_version 1\n");
  clock_.advance(1min);
  EXPECT_EQ(shown(ask(*evaluator, query)), "does not match");
}

TEST_F(Local, TakesAnEmptySourceForNoProof) {
  const std::string query = "group(broken == 1) or 0 * group(cluster_version)";
  folder_.write("version", "cluster_version 1\n");
  write("broken 1\n");
  const auto evaluator = make({.files = {folder_ / "series", folder_ / "version"}});
  EXPECT_EQ(shown(ask(*evaluator, query)), "matches");
  const std::string unsure =
      "the PromQL result is 0, but not for sure: there are no samples in " + (folder_ / "series").string();
  for (const std::string nothing : {"", "# TYPE broken gauge\n"}) {
    write(nothing);
    clock_.advance(1min);
    EXPECT_EQ(shown(ask(*evaluator, query)), unsure);
    clock_.advance(1h);
    EXPECT_EQ(shown(ask(*evaluator, query)), unsure);
  }
  write("broken 0\n");
  clock_.advance(1min);
  EXPECT_EQ(shown(ask(*evaluator, query)), "does not match");
  // A target that answers, but nothing, is up all the same.
  FakeService target([](const http::Request&) { return http::Response::text(200, ""); });
  const auto scraping = make({.targets = {target.url("/metrics")}});
  EXPECT_EQ(shown(ask(*scraping, "min(up)")), "matches");
  EXPECT_EQ(shown(ask(*scraping, "min(up) == bool 0")),
            "the PromQL result is 0, but not for sure: there are no samples in " + target.url("/metrics"));
}

TEST_F(Local, IsNotSureWhereASeriesHasTwoValues) {
  const std::string query = "max(foo)";
  for (const std::string text :
       {"foo 1\nfoo 0\n", "foo 0\nfoo 1\n", "foo{a=\"1\"} 1 5000\nfoo{a=\"1\"} 0 5000\n"}) {
    write(text);
    const std::string said = shown(ask(*of_file(), query + " or vector(0)"));
    EXPECT_NE(said.find("not for sure: reading " + (folder_ / "series").string() + ": line 2: the series "),
              std::string::npos)
        << said;
    EXPECT_NE(said.find("stands there twice, with two values for one time"), std::string::npos) << said;
  }
  // The same value twice says one thing.
  write("foo 0\nfoo 0\n");
  EXPECT_EQ(shown(ask(*of_file(), query)), "does not match");
  // Two files, in either order.
  folder_.write("a", "foo 1\n");
  folder_.write("b", "foo 0\n");
  for (const bool turned : {false, true}) {
    const std::string first = (folder_ / (turned ? "b" : "a")).string(),
                      second = (folder_ / (turned ? "a" : "b")).string();
    const auto evaluator = make({.files = {first, second}});
    const std::string said = shown(ask(*evaluator, "max(foo) * 0"));
    EXPECT_EQ(said, "the PromQL result is 0, but not for sure: {__name__=\"foo\"} has one value in " + first +
                        " and another in " + second);
    // Later too, and until they agree.
    clock_.advance(1min);
    EXPECT_EQ(shown(ask(*evaluator, "max(foo) * 0")), said);
  }
  // Of an earlier time too, whatever each says last.
  const auto at = [&](std::chrono::seconds ago) {
    const auto time = (clock_.now() - ago).time_since_epoch();
    return " " + std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(time).count()) + "\n";
  };
  folder_.write("a", "foo 1" + at(100s));
  folder_.write("b", "foo 0" + at(100s) + "foo 1" + at(-1h));
  const std::string earlier = shown(ask(*make({.files = {folder_ / "a", folder_ / "b"}}), query));
  EXPECT_TRUE(earlier.contains("for the same time")) << earlier;
  const auto evaluator = make({.files = {folder_ / "a", folder_ / "b"}});
  folder_.write("a", "foo 0\n");
  folder_.write("b", "foo 0\n");
  EXPECT_EQ(shown(ask(*evaluator, query)), "does not match");
}

TEST_F(Local, IsNotSureWhereNoQuerySeesTheSamples) {
  const std::string query = "max(foo) or vector(0)";
  const promql::Timestamp now =
      std::chrono::duration_cast<std::chrono::milliseconds>(clock_.now().time_since_epoch()).count();
  for (const promql::Timestamp time : {promql::Timestamp{1000}, now / 1000, now - 301'000, now + 3'600'000}) {
    for (const std::string more : {"", "foo{a=\"1\"} 0\n", "other 1\n"}) {
      write("foo 1 " + std::to_string(time) + "\n" + more);
      EXPECT_EQ(shown(ask(*of_file(), query)),
                "the PromQL result is 0, but not for sure: samples of foo in " +
                    (folder_ / "series").string() +
                    " are of times at which the query does not look (timestamps are in milliseconds)")
          << time;
    }
  }
  // What a query does not ask for does not matter to it, and what it sees is what counts.
  EXPECT_EQ(shown(ask(*of_file(), "max(other) * 0")), "does not match");
  write("foo 0 " + std::to_string(now - 200'000) + "\n");
  const auto evaluator = of_file();
  EXPECT_EQ(shown(ask(*evaluator, query)), "does not match");
  // The same sample a while later.
  clock_.advance(2min);
  EXPECT_TRUE(shown(ask(*evaluator, query)).starts_with("the PromQL result is 0, but not for sure: "));
  EXPECT_EQ(shown(ask(*evaluator, "max(max_over_time(foo[1s] offset 5m)) or vector(1)")), "matches");
}

TEST_F(Local, ASeriesLivesAsLongAsOneSourceHasIt) {
  // In either order of the two: the one that loses it before the other, and after it.
  for (const bool first_loses : {true, false}) {
    const std::string has = "broken 1\nother 1\n", has_not = "other 1\n";
    folder_.write("a", has);
    folder_.write("b", has);
    const auto evaluator = make({.files = {folder_ / "a", folder_ / "b"}});
    const std::string query = "group(broken) or 0 * group(other)";
    EXPECT_EQ(shown(ask(*evaluator, query)), "matches");
    folder_.write(first_loses ? "a" : "b", has_not);
    clock_.advance(1min);
    EXPECT_EQ(shown(ask(*evaluator, query)), "matches") << first_loses;
    clock_.advance(1min);
    EXPECT_EQ(shown(ask(*evaluator, query)), "matches") << first_loses;
    folder_.write(first_loses ? "b" : "a", has_not);
    clock_.advance(1min);
    EXPECT_EQ(shown(ask(*evaluator, query)), "does not match") << first_loses;
  }
}

TEST_F(Local, KeepsSamplesAsLongAsTheRangesNeed) {
  const std::string query = "max(max_over_time(load[1h])) > bool 5";
  write("load 9\n");
  const auto evaluator = of_file();
  EXPECT_EQ(shown(ask(*evaluator, query)), "matches");
  write("load 1\n");
  for (int minute = 1; minute <= 60; ++minute) {
    clock_.advance(1min);
    evaluator->collect({});
  }
  // The 9 is an hour old, which Prometheus 3 does not count any more.
  EXPECT_EQ(shown(ask(*evaluator, query)), "does not match");
  EXPECT_EQ(shown(ask(*evaluator, "max(max_over_time(load[2h])) > bool 0")), "matches");
  EXPECT_EQ(
      shown(ask(*evaluator, "max(max_over_time(load[2h])) > bool 99")),
      "the PromQL result is 0, but not for sure: the query looks back 2h0m0s, and there are samples of 0s");
  EXPECT_EQ(
      shown(ask(*evaluator, "max(load offset 10m) > bool 5")),
      "the PromQL result is 0, but not for sure: the query looks back 10m0s, and there are samples of 0s");
  EXPECT_TRUE(shown(ask(*evaluator, "max(load @ 1700000000)"))
                  .starts_with("a query with a time of its own (@) cannot be evaluated without Prometheus"));
  clock_.advance(10min);
  EXPECT_EQ(shown(ask(*evaluator, "max(load offset 10m) > bool 5")), "does not match");
  // Nobody asks any more.
  clock_.advance(25h);
  evaluator->collect({});
  EXPECT_EQ(evaluator->series_count(), 0U);
}

TEST_F(Local, ScrapesTargetsAndSeesThemGoAndComeBack) {
  FakeService good(
      [](const http::Request&) { return http::Response::text(200, "disk_slow{node=\"a\"} 0\n"); });
  FakeService other(
      [](const http::Request&) { return http::Response::text(200, "disk_slow{node=\"a\"} 0\n"); });
  const auto evaluator = make({.targets = {good.url("/metrics"), other.url("/metrics")}});
  const std::string none = "max(disk_slow)", targets = "count(disk_slow) - 1", up = "min(up)";
  EXPECT_EQ(shown(ask(*evaluator, none)), "does not match");
  EXPECT_EQ(shown(ask(*evaluator, targets)), "matches");  // of two instances
  EXPECT_EQ(shown(ask(*evaluator, up)), "matches");
  other.answer([](const http::Request&) { return http::Response::text(500, "broken"); });
  clock_.advance(1min);
  EXPECT_EQ(shown(ask(*evaluator, none)),
            "the PromQL result is 0, but not for sure: reading " + other.url("/metrics") + ": status 500");
  EXPECT_EQ(shown(ask(*evaluator, "min(up) == bool 0")), "matches");
  other.answer([](const http::Request&) { return http::Response::text(200, "disk_slow{node=\"a\"} 1\n"); });
  clock_.advance(1min);
  EXPECT_EQ(shown(ask(*evaluator, none)), "matches");
  EXPECT_EQ(good.seen().front().method, "GET");
}

TEST_F(Local, TakesNoMoreThanItsLimitAndStaysInsideItsDeadline) {
  FakeService service([](const http::Request& request) {
    if (request.path == "/large") return http::Response::text(200, "x 1\n" + std::string(100'000, '#'));
    http::Response response;
    response.stream = http::Stream::make();  // and never closed
    return response;
  });
  const auto large = make({.targets = {service.url("/large")}, .max_bytes = 50'000});
  EXPECT_TRUE(shown(ask(*large, "vector(0)")).find("larger than the 50000 bytes") != std::string::npos);
  const auto slow = make({.targets = {service.url("/slow")}, .deadline = 200ms});
  EXPECT_TRUE(shown(ask(*slow, "vector(0)")).starts_with("the PromQL result is 0, but not for sure: GET "));
}

TEST_F(Local, AnswersAllQuestionsOfARoundAtOnce) {
  write("a 1\nb 0\n");
  const auto evaluator = of_file();
  const Registry registry = standard_registry();
  Rounds rounds(registry, *evaluator, {.between_any = 0s, .between_same = 0s}, clock_);
  std::vector<ConditionalUpdate> updates{{testing::version("4.7.1"), {}}, {testing::version("4.7.2"), {}}};
  updates[0].risks.push_back(testing::risk("A", {testing::promql_rule("max(a)")}));
  updates[1].risks.push_back(testing::risk("B", {testing::promql_rule("max(b)")}));
  const auto verdicts = rounds.run(updates);
  ASSERT_TRUE(verdicts.has_value());
  EXPECT_EQ(verdicts->at(0).recommended.status, Status::is_false);
  EXPECT_EQ(verdicts->at(1).recommended.status, Status::is_true);
  EXPECT_EQ(verdicts->at(1).risks[0].evaluator, "local");
}

std::string nested_replacements(int seed) {
  std::string query = "many";
  for (int i = 0; i < 30; ++i)
    query = "label_replace(" + query + ", \"l" + std::to_string(i) + "\", \"$1-" + std::to_string(seed) +
            "\", \"pod\", \"(.*)\")";
  return "count(" + query + ") > bool 1";
}

ConditionalUpdate hostile_and_honest() {
  ConditionalUpdate update{testing::version("4.7.1"), {}};
  for (int i = 0; i < 100; ++i)
    update.risks.push_back(
        testing::risk("A" + std::to_string(i), {testing::promql_rule(nested_replacements(i))}));
  update.risks.push_back(testing::risk("Honest", {testing::promql_rule("max(honest)")}));
  update.risks.push_back(testing::risk("Wide", {testing::promql_rule("count(many) > bool 30000")}));
  return update;
}

std::string many_series() {
  std::string text = "honest 1\n";
  for (int i = 0; i < 20'000; ++i)
    text += "many{pod=\"some-application-" + std::to_string(i) + "\",namespace=\"n\"} 1\n";
  return text;
}

TEST_F(Local, RefusesWhatCostsTooMuchForTheSeriesThatItHas) {
  write(many_series());
  const auto evaluator = of_file();
  const Registry registry = standard_registry();
  Rounds rounds(registry, *evaluator, {.between_any = 0s, .between_same = 0s}, clock_);
  const auto verdicts = rounds.run(std::vector{hostile_and_honest()});
  ASSERT_TRUE(verdicts.has_value());
  const auto& risks = verdicts->front().risks;
  for (int i = 0; i < 100; ++i)
    EXPECT_TRUE(risks[i].error.starts_with("PromQL query may cost too much: work is ")) << risks[i].error;
  EXPECT_EQ(risks[100].outcome, Outcome::matches);
  EXPECT_EQ(risks[101].outcome, Outcome::does_not_match) << risks[101].error;
}

// What a price does not tell the time does: a second passes for each thousand looks at it.
TEST_F(Local, SharesTheProcessorTimeOfARound) {
  write(many_series());
  std::chrono::nanoseconds used{};
  LocalOptions options{.files = {folder_ / "series"}};
  options.cpu.time = [&used] {
    used += 1ms;
    return used;
  };
  options.cpu.slot = options.cpu.round = 4s;
  const auto evaluator = make(options);
  promql::CostLimits limits;
  limits.most.work = std::numeric_limits<std::uint64_t>::max();
  const Registry registry = standard_registry(limits);
  Rounds rounds(registry, *evaluator, {.between_any = 0s, .between_same = 0s}, clock_);
  for (int round = 0; round < 2; ++round) {
    const std::chrono::nanoseconds before = used;
    const auto verdicts = rounds.run(std::vector{hostile_and_honest()});
    ASSERT_TRUE(verdicts.has_value());
    EXPECT_LT(used - before, 6s);
    const auto& risks = verdicts->front().risks;
    for (int i = 0; i < 100; ++i)
      EXPECT_EQ(
          risks[i].error,
          "executing PromQL query: it did not end within its share of the processor time (4s per slot, 4s "
          "per round)");
    EXPECT_EQ(risks[100].outcome, Outcome::matches);
    EXPECT_EQ(risks[101].outcome, Outcome::does_not_match) << risks[101].error;
  }
}

TEST(FixedSeries, SaysWhichMetricsAreOutOfSight) {
  promql::SeriesStore series;
  const auto add = [&](const std::string& name, promql::Timestamp time) {
    series.add(promql::LabelSet::make({{"__name__", name}}), time, 1);
  };
  const promql::Timestamp now = 1'700'000'000'000;
  add("old", now - 3'600'000);
  add("older", now - 7'200'000);
  add("in_seconds", now / 1000);
  add("present", now - 299'000);
  add("present", now + 3'600'000);
  add("future", now + 1000);
  FixedSeries fixed(series, now, Clock::system());
  for (const char* query :
       {"max(present)", "max(max_over_time(old[1h]))", "max(older offset 2h)", "max(future offset -1m)",
        "max(nothing)", "max(in_seconds @ 1700000)", "vector(1)"}) {
    ask(fixed, query);
    EXPECT_TRUE(fixed.outside_window().empty()) << query;
  }
  ask(fixed, "max(old + in_seconds) > bool max(max_over_time(older[10m]))");
  ask(fixed, "max(future)");
  EXPECT_EQ(fixed.outside_window(), (std::map<std::string, promql::Timestamp>{{"old", now - 3'600'000},
                                                                              {"older", now - 7'200'000},
                                                                              {"in_seconds", now / 1000},
                                                                              {"future", now + 1000}}));
}

// A file read once is the same evidence, whoever reads it.
TEST_F(Local, OneSampleProvesNoMoreInAFileOfSeries) {
  write("a 0\n");
  promql::SeriesStore series;
  const promql::Timestamp now = timestamp_of(clock_.now());
  series.add(promql::LabelSet::make({{"__name__", "a"}}), now, 0);
  for (const char* query :
       {"max(a)", "max_over_time(a[5m])", "max(a) or max(max_over_time(b[1h]))", "max(rate(a[5m]))",
        "max(a offset 5m) or 0 * max(a)", "max_over_time(max(a)[10m:1m])", "1 + max(max_over_time(a[5m]))",
        "0 * max(a @ 1700000000) or max(a)"}) {
    const auto evaluator = of_file();
    FixedSeries fixed(series, now, clock_);
    EXPECT_EQ(shown(ask(fixed, query)), shown(ask(*evaluator, query))) << query;
  }
  const promql::SeriesStore none;
  FixedSeries empty(none, now, clock_);
  EXPECT_EQ(shown(ask(empty, "vector(0)")), "the PromQL result is 0, but not for sure: there are no samples");
}

// What has samples for as long as a query looks back, is known.
TEST(FixedSeries, IsSureWhereTheSamplesReachBackFarEnough) {
  promql::SeriesStore series;
  const promql::Timestamp now = 1'700'000'000'000;
  const auto labels = promql::LabelSet::make({{"__name__", "a"}});
  for (int minute = 10; minute >= 0; --minute) series.add(labels, now - minute * 60'000, 0);
  series.add(promql::LabelSet::make({{"__name__", "ended"}}), now - 600'000, 1);
  FixedSeries fixed(series, now, Clock::system());
  EXPECT_EQ(shown(ask(fixed, "max_over_time(a[10m])")), "does not match");
  EXPECT_TRUE(shown(ask(fixed, "max(a @ 1699999940)")).starts_with("a query with a time of its own (@)"));
  EXPECT_EQ(
      shown(ask(fixed, "max_over_time(a[11m])")),
      "the PromQL result is 0, but not for sure: the query looks back 11m0s, and there are samples of 10m0s");
  EXPECT_EQ(shown(ask(fixed, "max(ended) or max(a)")),
            "the PromQL result is 0, but not for sure: samples of ended are of times at which the query does "
            "not look");
}

TEST_F(Local, IsNotSureOfARangeThatReachesOverAGap) {
  const std::string query = "max_over_time(a[5m])";
  write("a 0\n");
  const auto evaluator = of_file();
  const auto say_in = [&](std::chrono::seconds time) {
    clock_.advance(time);
    return shown(ask(*evaluator, query));
  };
  for (int i = 0; i < 10; ++i) say_in(30s);
  EXPECT_EQ(say_in(30s), "does not match");
  std::filesystem::remove(folder_ / "series");
  EXPECT_TRUE(say_in(30s).starts_with("the PromQL result is 0, but not for sure: "));
  write("a 0\n");
  EXPECT_EQ(
      say_in(30s),
      "the PromQL result is 0, but not for sure: the query looks back 5m0s, and there are samples of 0s");
  for (int i = 0; i < 9; ++i) say_in(30s);
  EXPECT_EQ(say_in(30s), "does not match");
}

/// A clock whose wall time can be set.
class SettableClock final : public Clock {
 public:
  WallTime now() const override { return now_; }
  SteadyTime steady() const override { return {}; }
  bool wait_until(SteadyTime, std::stop_token) override { return false; }
  void set(WallTime now) { now_ = now; }

 private:
  WallTime now_ = parse_time("2026-02-19T12:00:00Z").value();
};

TEST_F(Local, ReadsAnewWhenTheClockWasSetBack) {
  SettableClock clock;
  write("risk 1\n");
  LocalOptions options;
  options.files = {folder_ / "series"};
  const auto evaluator = LocalEvaluator::create(options, clock).value();
  const std::string query = "vector(0) unless on() (risk == 1) or vector(1)";
  EXPECT_EQ(shown(ask(*evaluator, query)), "matches");
  clock.set(clock.now() - 10min);
  EXPECT_EQ(shown(ask(*evaluator, query)), "matches");
}

TEST_F(Local, TellsTargetsOfOneAddressApart) {
  FakeService service([&](const http::Request& request) {
    if (request.path == "/broken") return http::Response::text(500, "broken");
    return http::Response::text(
        200, "disk_slow{node=\"a\"} " + std::string(request.path == "/b" ? "1" : "0") + "\n");
  });
  const auto evaluator = make({.targets = {service.url("/a"), service.url("/b"), service.url("/broken")}});
  EXPECT_EQ(shown(ask(*evaluator, "count(disk_slow) - 1")), "matches");
  EXPECT_EQ(shown(ask(*evaluator, "max(disk_slow{metrics_path=\"/b\"})")), "matches");
  EXPECT_EQ(shown(ask(*evaluator, "count(up == 1) - 1")), "matches");
  EXPECT_EQ(shown(ask(*evaluator, "count(up{metrics_path=\"/broken\"} == 0)")), "matches");
  LocalOptions twice;
  twice.targets = {service.url("/a"), service.url("/b"), service.url("/a")};
  const auto refused = LocalEvaluator::create(twice, clock_);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message,
            "the targets " + service.url("/a") + " and " + service.url("/a") + " are one: name it once");
}

TEST_F(Local, TakesTimesOfATargetThatAreLaterThanTheRequest) {
  FakeService service([&](const http::Request&) {
    clock_.advance(2s);
    const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(clock_.now().time_since_epoch());
    return http::Response::text(200, "disk_slow 0 " + std::to_string(now.count()) + "\n");
  });
  EXPECT_EQ(shown(ask(*make({.targets = {service.url("/metrics")}}), "max(disk_slow)")), "does not match");
}

TEST_F(Local, SaysOfWhatFailsWhatIsWrongWithTheSources) {
  write("a 0\n");
  const std::string gone = (folder_ / "gone").string();
  const auto evaluator = make({.files = {folder_ / "series", gone}});
  const std::string why = "reading " + gone + ": No such file or directory";
  EXPECT_EQ(shown(ask(*evaluator, "max(b)")), "invalid PromQL result length must be one, but is 0; " + why);
  EXPECT_EQ(evaluator->problems(), std::vector<std::string>{why});
  folder_.write("gone", "b 1\n");
  clock_.advance(30s);
  EXPECT_EQ(shown(ask(*evaluator, "max(b)")), "matches");
  EXPECT_EQ(evaluator->problems(), std::vector<std::string>{});
}

TEST_F(Local, KeepsNoMoreThanItsLimits) {
  const std::string file = (folder_ / "series").string();
  const auto too_many = [&](const std::string& what) {
    return "the PromQL result is 0, but not for sure: with what the queries need of " + file +
           " there would be more than the " + what + " that are kept";
  };
  write("a{x=\"1\"} 0\na{x=\"2\"} 0\nother 1\n");
  const auto few = make({.files = {file}, .most_series = 2});
  EXPECT_EQ(shown(ask(*few, "max(a)")), "does not match");
  write("a{x=\"1\"} 0\na{x=\"2\"} 0\na{x=\"3\"} 1\n");
  clock_.advance(30s);
  EXPECT_EQ(shown(ask(*few, "max(a)")), too_many("2 series"));
  EXPECT_EQ(few->series_count(), 2U);
  write("a{x=\"1\"} 0\na{x=\"2\"} 1\n");
  clock_.advance(30s);
  EXPECT_EQ(shown(ask(*few, "max(a)")), "matches");

  // A range needs a sample of each time.
  write("a 0\n");
  const auto brief = make({.files = {file}, .most_samples = 15});
  const std::string query = "max(max_over_time(a[1m]))";
  for (int i = 0; i < 5; ++i, clock_.advance(30s)) ask(*brief, query);
  EXPECT_EQ(shown(ask(*brief, query)), "does not match");
  for (int i = 0; i < 10; ++i, clock_.advance(30s)) ask(*brief, "max(max_over_time(a[10m]))");
  EXPECT_EQ(shown(ask(*brief, query)), too_many("15 samples"));
}

TEST_F(Local, IsNotMadeOfNothing) {
  EXPECT_FALSE(LocalEvaluator::create({}, clock_).has_value());
  EXPECT_FALSE(LocalEvaluator::create({.targets = {"ftp://x"}}, clock_).has_value());
  EXPECT_FALSE(LocalEvaluator::create({.targets = {"x"}}, clock_).has_value());
}

}  // namespace
}  // namespace fairway::risk
