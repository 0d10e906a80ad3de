// SPDX-License-Identifier: Apache-2.0

// Verdicts over a restart of the operator.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "operators/updates.h"
#include "risk/scripted_evaluator.h"
#include "support/fake_service.h"
#include "support/temp_directory.h"

namespace fairway::operators {
namespace {

using fairway::testing::FakeService;
using namespace std::chrono_literals;

class VerdictStoreTest : public ::testing::Test {
 protected:
  /// Returns a graph with an update for each name, with a risk of that name and a query.
  std::string graph() const {
    json::Array nodes{json::Object{{"version", "4.6.23"}, {"payload", "a"}}}, conditional;
    for (const std::string& name : names_) {
      const std::string version = "4.6." + std::to_string(24 + conditional.size());
      nodes.push_back(json::Object{{"version", version}, {"payload", name}});
      conditional.push_back(json::Object{
          {"edges", json::Array{json::Object{{"from", "4.6.23"}, {"to", version}}}},
          {"risks",
           json::Array{json::Object{
               {"url", "https://example.com/R"},
               {"name", name},
               {"message", message_},
               {"matchingRules", json::Array{json::Object{{"type", "PromQL"},
                                                          {"promql", json::Object{{"promql", name}}}}}}}}}});
    }
    return json::to_text(
        json::Object{{"nodes", nodes}, {"edges", json::Array()}, {"conditionalEdges", conditional}});
  }

  openshift::ClusterVersion cluster() const {
    auto made = k8s::make<openshift::ClusterVersion>(openshift::ClusterVersion::object_name);
    made.set("spec.channel", "stable-4.6");
    made.set("spec.clusterID", cluster_id_);
    made.set("spec.upstream", service_.url("/graph"));
    return made;
  }

  void start() { start(clock_); }
  void start(FakeClock& clock) {
    UpdateSettings settings;
    settings.query.architecture = "amd64";
    settings.data = folder_.path();
    settings.monitoring = monitoring_;
    settings.polling = polling_;
    updates_ = std::make_unique<Updates>(settings, registry_, evaluator_, clock, [] { return 0.0; });
  }
  /// Returns the verdicts, each with the time of its evaluation: "a does not match 12:00:00Z".
  std::vector<std::string> verdicts() {
    const auto inputs =
        updates_->run(cluster(), {.version = "4.6.23", .image = "a", .url = {}, .channels = {}}, {});
    std::vector<std::string> all;
    if (!inputs) return {inputs.error().message};
    for (std::size_t i = 0; i < inputs->verdicts.size(); ++i) {
      const risk::RiskVerdict& verdict = inputs->verdicts[i].risks.front();
      all.push_back(inputs->available->updates[i].risks.front().name + " " +
                    std::string(to_string(verdict.outcome)) +
                    (verdict.last ? " " + format_time(*verdict.last).substr(11) : ""));
    }
    std::ranges::sort(all);
    return all;
  }
  /// Evaluates all of "a", "b" and "c", one each ten minutes.
  void evaluate_all() {
    start();
    for (int i = 0; i < 3; ++i) {
      verdicts();
      clock_.advance(10min);
    }
    ASSERT_EQ(verdicts(), evaluated);
  }

  const std::vector<std::string> evaluated{"a does not match 12:20:00Z", "b does not match 12:10:00Z",
                                           "c matches 12:00:00Z"};
  std::vector<std::string> names_{"a", "b", "c"}, asked_;
  std::string message_ = "M.", monitoring_ = "one", cluster_id_ = "6d3c1f5e-0000-4000-8000-000000000000";
  risk::PollingRules polling_;
  fairway::testing::TempDirectory folder_;
  FakeClock clock_{parse_time("2026-11-29T12:00:00Z").value()};
  const risk::Registry registry_ = risk::standard_registry();
  risk::testing::ScriptedEvaluator evaluator_{[this](const std::string& query) {
    asked_.push_back(query);
    risk::Answer answer = risk::testing::sample(query == "c" ? 1 : 0);
    answer.series = "{query=\"" + query + "\"}";
    return answer;
  }};
  const FakeService service_{[this](const http::Request&) { return http::Response::json(200, graph()); }};
  std::unique_ptr<Updates> updates_;
};

TEST_F(VerdictStoreTest, ARestartKeepsVerdictsWithTheirTimes) {
  evaluate_all();
  asked_.clear();
  names_ = {"a", "b", "c", "d"};
  clock_.advance(1min);
  start();
  // The slot is for what was kept, the oldest first; what is new waits.
  EXPECT_EQ(verdicts(), (std::vector<std::string>{"a does not match 12:20:00Z", "b does not match 12:10:00Z",
                                                  "c matches 12:31:00Z", "d failed"}));
  EXPECT_EQ(asked_, std::vector<std::string>{"c"});
  for (const risk::UpdateVerdict& update : updates_->verdicts()) {
    const risk::RiskVerdict& verdict = update.risks.front();
    EXPECT_EQ(verdict.series.empty(), verdict.outcome == risk::Outcome::failed);
  }
  for (int i = 0; i < 3; ++i) {
    clock_.advance(10min);
    verdicts();
  }
  EXPECT_EQ(asked_, (std::vector<std::string>{"c", "b", "a", "d"}));
  // A second restart has all of it.
  start();
  EXPECT_EQ(verdicts().back(), "d does not match 13:01:00Z");
}

TEST_F(VerdictStoreTest, NoVerdictOfSomethingElseCounts) {
  const std::vector<std::string> none{"a failed", "b failed", "c matches 12:31:00Z"};
  const auto after_restart = [&] {
    clock_.advance(1min);
    start();
    return verdicts();
  };
  evaluate_all();
  message_ = "Another.";
  EXPECT_EQ(after_restart(), none);
}

TEST_F(VerdictStoreTest, NorOfAnotherClusterOrMonitoringStack) {
  evaluate_all();
  const std::filesystem::path file = folder_.path() / "verdicts.json";
  std::filesystem::copy_file(file, folder_.path() / "copy");
  const auto after_restart = [&] {
    std::filesystem::copy_file(folder_.path() / "copy", file,
                               std::filesystem::copy_options::overwrite_existing);
    start();
    return verdicts().front();
  };
  EXPECT_EQ(after_restart(), evaluated.front());
  monitoring_ = "another";
  EXPECT_EQ(after_restart(), "a failed");
  monitoring_ = "one";
  cluster_id_ = "6d3c1f5e-0000-4000-8000-000000000001";
  EXPECT_EQ(after_restart(), "a failed");
  cluster_id_ = "6d3c1f5e-0000-4000-8000-000000000000";
  EXPECT_EQ(after_restart(), evaluated.front());
}

TEST_F(VerdictStoreTest, NorOneThatARunningOperatorWouldHaveAskedAgain) {
  for (const std::chrono::hours unused : {24h, 0h}) {
    polling_.unused = unused;
    evaluate_all();
    const std::filesystem::path file = folder_.path() / "verdicts.json";
    std::filesystem::copy_file(file, folder_.path() / "copy",
                               std::filesystem::copy_options::overwrite_existing);
    // An hour and a little. The others are older, so that it is evaluated first.
    clock_.advance(1h + 5min - 11min);
    start();
    EXPECT_EQ(verdicts().front(), "a does not match 13:24:00Z");
    std::filesystem::copy_file(folder_.path() / "copy", file,
                               std::filesystem::copy_options::overwrite_existing);
    clock_.advance(1min);
    start();
    EXPECT_EQ(verdicts().front(), "a failed");
    std::filesystem::remove_all(folder_.path() / "verdicts.json");
    clock_.advance(24h - 1h - 25min);
  }
  const auto longest = [](std::chrono::nanoseconds any, std::chrono::nanoseconds same, std::size_t count) {
    return VerdictStore::longest_age({.between_any = any, .between_same = same, .unused = {}}, count);
  };
  EXPECT_EQ(longest(10min, 1h, 3), 65min);
  EXPECT_EQ(longest(10min, 1h, 12), 125min);
  EXPECT_EQ(longest(10min, 1h, 1'000'000'000), 24h);
  EXPECT_EQ(longest(0s, 0s, 7), 5min);
  EXPECT_EQ(longest(std::chrono::nanoseconds::max(), 1h, 2), 24h);
  EXPECT_EQ(longest(1ns, std::chrono::nanoseconds::max(), std::numeric_limits<std::size_t>::max()), 24h);
}

TEST_F(VerdictStoreTest, AClockThatWasSetBackVoidsThem) {
  evaluate_all();
  FakeClock earlier(parse_time("2026-11-29T12:15:00Z").value());
  start(earlier);
  const std::vector<std::string> none{"a failed", "b failed", "c matches 12:15:00Z"};
  EXPECT_EQ(verdicts(), none);
  updates_.reset();
}

TEST_F(VerdictStoreTest, AlsoWhereItIsAfterTheLastAnswer) {
  evaluate_all();
  // The last answer is of 12:20, and at 12:30 the operator ran.
  FakeClock earlier(parse_time("2026-11-29T12:25:00Z").value());
  start(earlier);
  EXPECT_EQ(verdicts(), (std::vector<std::string>{"a failed", "b failed", "c matches 12:25:00Z"}));
  updates_.reset();
  // What is removed does not come back.
  start();
  EXPECT_EQ(verdicts().front(), "a failed");
}

TEST_F(VerdictStoreTest, ABrokenFileIsNone) {
  for (const char* text :
       {"", "{", "{}", "[1,{}]", R"([{"risk":"x","rule":-1,"outcome":"matches","at":"z"}])"}) {
    SCOPED_TRACE(text);
    std::ofstream(folder_.path() / "verdicts.json") << text;
    start();
    EXPECT_EQ(verdicts().size(), 3U);
  }
}

}  // namespace
}  // namespace fairway::operators
