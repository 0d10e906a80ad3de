// SPDX-License-Identifier: Apache-2.0

// Metrics captured from a real Prometheus answer as it does.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "http/message.h"
#include "http/url.h"
#include "promql/engine/exposition.h"
#include "promql/engine/result_reader.h"
#include "promql/engine/series_ends.h"
#include "promql/parser/go_text.h"
#include "risk/evaluators/capture.h"
#include "risk/evaluators/fixed_series.h"
#include "support/fake_service.h"
#include "support/golden_clusters.h"
#include "support/process.h"
#include "support/prometheus_server.h"
#include "support/shared_data.h"
#include "support/temp_directory.h"

namespace fairway::testing {
namespace {

constexpr promql::Timestamp minute = 60'000;

promql::Timestamp present() {
  const auto now = Clock::system().now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

json::Value promql_rule(const std::string& query) {
  return json::Object{{"type", "PromQL"}, {"promql", json::Object{{"promql", query}}}};
}

/// A sample a minute, the last one at `end`.
promql::Series steady(std::vector<promql::Label> labels, promql::Timestamp end, int minutes, double value) {
  promql::Series series;
  series.labels = promql::LabelSet::make(std::move(labels));
  for (int i = minutes; i >= 0; --i) series.points.push_back({end - i * minute, value});
  return series;
}

/// Returns the program's output with these arguments, which it must accept.
std::string run(std::vector<std::string> arguments, const TempDirectory& folder) {
  arguments.insert(arguments.begin(), FAIRWAY_BINARY);
  const std::string output = (folder / "output").string();
  std::filesystem::remove(output);  // a Process appends
  Process process(arguments, output);
  const int status = process.wait();
  std::string text = read_file(output).value_or("");
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << text;
  return text;
}

/// The verdicts on the risks of the one update, by name: "A matches".
std::vector<std::string> verdicts(const std::string& report) {
  std::vector<std::string> all;
  const json::Value document = json::parse(report).value_or(nullptr);
  const json::Array& updates = document.as_object().at("updates").as_array();
  for (const json::Value& risk : updates.at(0).as_object().at("risks").as_array()) {
    all.push_back(std::string(json::find_string(risk, "name").value()) + " " +
                  std::string(json::find_string(risk, "verdict").value()));
  }
  return all;
}

TEST(RiskCapture, IsCheckedAsThePrometheusItselfIs) {
  if (!PrometheusServer::installed()) GTEST_SKIP() << "there is no prometheus";
  PrometheusServer server;
  const promql::Timestamp now = present();
  promql::Series ended = steady({{"__name__", "ended"}}, now - 2 * minute, 10, 1);
  ended.points.push_back({now - minute, promql::stale_marker()});
  promql::Series left = ended;
  left.labels = promql::LabelSet::make({{"__name__", "left"}, {"type", "A"}});
  server.write({steady({{"__name__", "kind"}, {"type", "VSphere"}}, now, 10, 1),
                steady({{"__name__", "busy"}, {"path", "C:\\ \"x\""}}, now - 30 * minute, 40, 1),
                steady({{"__name__", "odd"}}, now, 10, 0.5), ended, left});
  const std::vector<std::string> queries{
      "max(kind{type=\"VSphere\"} or 0 * kind)",           // A
      "max(kind{type=\"AWS\"} or 0 * kind)",               // B
      "max(max_over_time(busy[1h]))",                      // C: its samples are half an hour old
      "max(max_over_time(busy[20m])) or 0 * max(kind)",    // D
      "max(ended) or 0 * max(kind)",                       // E
      "max(odd)",                                          // F
      "max(nobody_has_it)",                                // G
      "max(kind) * on () group(max_over_time(busy[1h]))",  // H
      "max(max_over_time(left[1h]))",                      // I: ended a minute ago
      "max(left) or 0 * max(kind)",                        // J
      "max(left offset 30s) or 0 * max(kind)",             // K
      "max(left offset 90s) or 0 * max(kind)",             // L
  };
  json::Array risks;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const std::string name(1, static_cast<char>('A' + i));
    risks.push_back(json::Object{{"name", name},
                                 {"url", "https://example.com/" + name},
                                 {"message", "Something may happen."},
                                 {"matchingRules", json::Array{promql_rule(queries[i])}}});
  }
  json::Array nodes;
  for (const char* version : {"4.7.1", "4.7.2"})
    nodes.push_back(json::Object{{"version", version}, {"payload", std::string("image-of-") + version}});
  const TempDirectory folder;
  folder.write(
      "graph.json",
      json::to_text(json::Object{
          {"nodes", nodes},
          {"edges", json::Array{}},
          {"conditionalEdges",
           json::Array{json::Object{{"edges", json::Array{json::Object{{"from", "4.7.1"}, {"to", "4.7.2"}}}},
                                    {"risks", risks}}}}}));
  const std::string graph = folder / "graph.json", metrics = folder / "metrics.txt";
  const std::string said =
      run({"risk", "capture", "--prometheus", server.url(), "--graph", graph, "-o", metrics}, folder);
  EXPECT_TRUE(said.starts_with("6 metrics of 12 queries at ")) << said;
  EXPECT_TRUE(said.contains("\nWithout series: ended, nobody_has_it\n")) << said;
  const std::vector<std::string> check{"risk", "check", "--graph", graph, "--from", "4.7.1", "-o", "json"};
  std::vector<std::string> over_file = check, asking = check;
  // The capture says itself of which Prometheus it is.
  EXPECT_TRUE(read_file(metrics).value_or("").contains("\n# fairway: dialect 2\n"));
  over_file.insert(over_file.end(), {"--series", metrics});
  asking.insert(asking.end(), {"--prometheus", server.url()});
  const std::vector<std::string> expected{
      "A matches", "B does not match", "C matches", "D does not match", "E does not match", "F failed",
      "G failed",  "H matches",        "I matches", "J does not match", "K does not match", "L matches"};
  EXPECT_EQ(verdicts(run(asking, folder)), expected);
  EXPECT_EQ(verdicts(run(over_file, folder)), expected);
  const std::string explained =
      run({"risk", "explain", "D", "--graph", graph, "--prometheus", server.url()}, folder);
  EXPECT_TRUE(explained.contains("max_over_time(busy[20m])  = no samples\n")) << explained;
  EXPECT_TRUE(explained.contains("\n    busy: absent\n")) << explained;
  EXPECT_TRUE(explained.contains("\n    kind: 1 series\n")) << explained;
  EXPECT_TRUE(explained.contains("A cluster that asks now asks again at ")) << explained;
}

/// A Prometheus that knows one metric and its own time; `asked` counts its other queries.
http::Response answer_of(const http::Request& request, std::atomic<int>& asked) {
  std::string query;
  const std::string form = std::string(request.query) + "&" + std::string(request.body);
  for (const auto& [name, value] : http::parse_query(form)) {
    if (name == "query") query = value;
  }
  const std::string begin = R"({"status":"success","data":{"resultType":")";
  if (query == "time()") return http::Response::json(200, begin + R"(scalar","result":[1700000000,"0"]}})");
  if (query.starts_with("count_over_time(vector(1)")) {
    return http::Response::json(200,
                                begin + R"(vector","result":[{"metric":{},"value":[1700000000,"2"]}]}})");
  }
  ++asked;
  const bool range = query.ends_with(']');
  return http::Response::json(
      200, begin + (range ? "matrix" : "vector") + R"(","result":[{"metric":{"__name__":"m","type":"A"},)" +
               (range ? R"("values":[[1700000000,"1"]]}]}})" : R"("value":[1700000000,"1"]}]}})"));
}

TEST(RiskCapture, KeepsWhatItHasWhereTheServerGoesAway) {
  // Two metrics of two requests each: the server goes after the first, or before it.
  for (const int lives_for : {2, 0}) {
    SCOPED_TRACE(lives_for);
    std::atomic<int> asked = 0;
    FakeService server([&](const http::Request& request) {
      http::Response response = answer_of(request, asked);
      return asked > lives_for ? http::Response::text(503, "gone") : std::move(response);
    });
    const TempDirectory folder;
    folder.write("metrics.txt", "an earlier one\n");
    const std::string metrics = folder / "metrics.txt", output = (folder / "output").string();
    Process process({FAIRWAY_BINARY, "risk", "capture", "--prometheus", server.url(""), "--query",
                     "max(a) + max(b)", "-o", metrics},
                    output);
    const int status = process.wait();
    const std::string said = read_file(output).value_or("");
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << said;
    const std::string kept = read_file(metrics).value_or("");
    if (lives_for == 0) {
      EXPECT_EQ(kept, "an earlier one\n") << said;
      EXPECT_TRUE(said.contains("error: nothing was captured, and ")) << said;
      continue;
    }
    EXPECT_TRUE(said.contains("warning: b is not in it: ")) << said;
    EXPECT_TRUE(said.contains("1 metric of 1 query at ")) << said;
    EXPECT_TRUE(kept.contains("\nfairway_captured{metric=\"a\"} 1 ")) << kept;
    EXPECT_FALSE(kept.contains("metric=\"b\"")) << kept;
  }
}

std::string text_of(const json::Value& value, std::string_view key) {
  return std::string(json::find_string(value, key).value_or(""));
}

/// A synthetic cluster whose evaluation is now: samples every minute, which change as `mode` says.
std::vector<promql::Series> series_of(const json::Value& cluster, promql::Timestamp now) {
  constexpr int minutes = 90;
  std::vector<promql::Series> all;
  for (const json::Value& given : json::find(cluster, "series")->as_array()) {
    std::vector<promql::Label> labels = {{"__name__", text_of(given, "name")}};
    for (const auto& [name, value] : json::find(given, "labels")->as_object())
      labels.emplace_back(std::string(name), std::string(value.as_string()));
    const std::string mode = text_of(given, "mode");
    const json::Value& number = *json::find(given, "value");
    const double value =
        number.is_string() ? *promql::parse_number(number.as_string().c_str()) : number.to_number<double>();
    promql::Series series = steady(std::move(labels), now, minutes, value);
    std::erase_if(series.points, [&](promql::Point& point) {
      const promql::Timestamp before = now - point.time;
      if (mode == "drop0" && before < 20 * minute) point.value = 0;
      if (mode == "rise0" && before > 20 * minute) point.value = 0;
      return mode.starts_with("gone") && before <= std::stoi(mode.substr(4)) * minute;
    });
    all.push_back(std::move(series));
  }
  return all;
}

TEST(RiskCapture, AnswersAllPublishedRules) {
  if (!PrometheusServer::installed()) GTEST_SKIP() << "there is no prometheus";
  const auto folder = shared_path("data/prometheus");
  FAIRWAY_NEEDS_SHARED(folder);
  const json::Value profiles = testing::read_gzip_json(folder / "golden-profiles.json.gz");
  const json::Value golden = testing::read_gzip_json(folder / "golden-results.json.gz");
  const risk::Registry registry = risk::standard_registry();
  std::vector<risk::QuestionPointer> questions;
  // Which of several equals topk keeps decides 66 and 67.
  const std::set<std::size_t> ties{66, 67};
  const json::Array& queries = json::find(golden, "queries")->as_array();
  for (std::size_t i = 0; i < queries.size(); ++i) {
    if (!queries[i].is_string() || ties.contains(i)) continue;
    const auto read = risk::read_rule(registry, promql_rule(std::string(queries[i].as_string())));
    ASSERT_TRUE(read && std::holds_alternative<risk::QuestionPointer>(*read)) << queries[i];
    questions.push_back(std::get<risk::QuestionPointer>(*read));
  }
  ASSERT_GT(questions.size(), 80U);
  std::map<risk::Outcome, int> outcomes;
  for (const std::size_t number : {5U, 38U, 71U}) {
    SCOPED_TRACE(number);
    PrometheusServer server;
    server.write(series_of(json::find(profiles, "profiles")->as_array().at(number), present()));
    risk::PrometheusOptions options;
    options.url = server.url();
    options.proxy_environment = false;
    const auto api = risk::PrometheusApi::create(options).value();
    const auto capture = risk::capture_series(*api, questions);
    ASSERT_TRUE(capture) << capture.error().message;
    EXPECT_TRUE(capture->problems.empty()) << capture->problems.front();
    promql::SeriesStore store;
    ASSERT_TRUE(promql::read_exposition(capture->text, capture->time, store).has_value());
    ASSERT_TRUE(promql::read_series_ends(capture->text, store).has_value());
    promql::EngineOptions engine = risk::evaluation_limits();
    engine.dialect = promql::Dialect::prometheus2;
    // How fast this machine is decides nothing here.
    const risk::CpuLimits cpu{.slot = std::chrono::minutes(10), .round = std::chrono::minutes(10)};
    risk::FixedSeries series(store, capture->time, Clock::system(), engine, cpu);
    for (const risk::QuestionPointer& question : questions) {
      SCOPED_TRACE(question->query);
      const auto reply = api->ask(question->query, {.at = capture->time}, {});
      const auto result =
          reply ? promql::read_result(*reply) : fail(ErrorCode::invalid, reply.error().message);
      const risk::Answer asked =
          result ? risk::judge(result->value) : risk::Answer::failure(result.error().message);
      series.begin_round();
      const risk::Question* due[] = {question.get()};
      const risk::Answer over_file = series.evaluate(due, {}, {}).at(0).value();
      EXPECT_EQ(to_string(over_file.outcome), to_string(asked.outcome)) << over_file.error << "\n"
                                                                        << asked.error;
      EXPECT_FALSE(over_file.error.contains("not for sure")) << over_file.error;
      ++outcomes[asked.outcome];
    }
  }
  // The clusters are of all kinds.
  EXPECT_GT(outcomes[risk::Outcome::matches], 10);
  EXPECT_GT(outcomes[risk::Outcome::does_not_match], 50);
  EXPECT_GT(outcomes[risk::Outcome::failed], 10);
}

}  // namespace
}  // namespace fairway::testing
