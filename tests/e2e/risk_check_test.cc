// SPDX-License-Identifier: Apache-2.0

// `fairway risk check` beside servers that answer as a Prometheus might.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <filesystem>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "http/url.h"
#include "support/eventually.h"
#include "support/fake_service.h"
#include "support/process.h"
#include "support/temp_directory.h"

namespace fairway::testing {
namespace {

/// An update from 4.7.1 to 4.7.2 with a risk for each query, named A, B, ...
std::string graph_with(const std::vector<std::string>& queries) {
  json::Array risks;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const std::string name(1, static_cast<char>('A' + i));
    risks.push_back(json::Object{
        {"name", name},
        {"url", "https://example.com/" + name},
        {"message", "Something may happen."},
        {"matchingRules",
         json::Array{json::Object{{"type", "PromQL"}, {"promql", json::Object{{"promql", queries[i]}}}}}}});
  }
  json::Array nodes;
  for (const char* version : {"4.7.1", "4.7.2"})
    nodes.push_back(json::Object{{"version", version}, {"payload", std::string("image-of-") + version}});
  return json::to_text(json::Object{
      {"nodes", nodes},
      {"edges", json::Array{}},
      {"conditionalEdges",
       json::Array{json::Object{{"edges", json::Array{json::Object{{"from", "4.7.1"}, {"to", "4.7.2"}}}},
                                {"risks", risks}}}}});
}

/// The document of `fairway risk check -o json` with these further arguments.
json::Value check(const std::vector<std::string>& queries, const std::vector<std::string>& more) {
  const TempDirectory folder;
  folder.write("graph.json", graph_with(queries));
  const std::string output = (folder / "output").string();
  std::vector<std::string> arguments{FAIRWAY_BINARY, "risk",  "check", "--graph", folder / "graph.json",
                                     "--from",       "4.7.1", "-o",    "json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  Process process(arguments, output);
  const int status = process.wait();
  const std::string text = read_file(output).value_or("");
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << text;
  return json::parse(text).value_or(nullptr);
}

/// The risks of the one update, each as an object.
json::Array risks_of(const json::Value& document) {
  return document.as_object().at("updates").as_array().at(0).as_object().at("risks").as_array();
}

TEST(RiskCheck, ASecondLookKeepsTheAnswersOfTheFirst) {
  // The first fetch brings what A needs; the second risk's query has to go by itself, and from then on the
  // server is of no use.
  std::mutex mutex;
  std::vector<std::string> queries;
  FakeService server([&](const http::Request& request) {
    std::string query;
    for (const auto& [name, value] : http::parse_query(request.query)) {
      if (name == "query") query = value;
    }
    const std::lock_guard lock(mutex);
    queries.push_back(query);
    if (queries.size() > 1) return http::Response::text(503, "gone");
    return http::Response::json(200, R"({"status":"success","data":{"resultType":"vector","result":[)"
                                     R"({"metric":{"__name__":"a"},"value":[1700000000,"0"]}]}})");
  });
  const json::Array risks = risks_of(check({"max(a)", "max(b offset 5m)"},
                                           {"--prometheus", server.url(""), "--risk-evaluator", "snapshot"}));
  EXPECT_EQ(json::find_string(risks.at(0), "verdict"), "does not match") << json::to_text(risks.at(0));
  EXPECT_EQ(json::find_string(risks.at(1), "verdict"), "failed");
  const std::lock_guard lock(mutex);
  EXPECT_EQ(queries, (std::vector<std::string>{R"({__name__=~"a"})", "max(b offset 5m)"}));
}

/// Returns a Prometheus's answer of one sample.
http::Response sample(const char* value) {
  return http::Response::json(200,
                              std::string(R"({"status":"success","data":{"resultType":"vector","result":[)"
                                          R"({"metric":{},"value":[1700000000,")") +
                                  value + "\"]}]}}");
}

TEST(RiskCheck, EveryPrintsWhatHasChangedUntilItIsStopped) {
  // The polling rules are off: each round asks. What the rules do with time is tested without a server.
  std::mutex mutex;
  std::condition_variable changed;
  int asked = 0;
  FakeService server([&](const http::Request&) {
    const std::lock_guard lock(mutex);
    ++asked;
    changed.notify_all();
    return sample(asked <= 3 ? "1" : "0");
  });
  const TempDirectory folder;
  folder.write("graph.json", graph_with({"max(a)"}));
  const std::string output = (folder / "output").string();
  Process process({FAIRWAY_BINARY, "risk", "check", "--graph", folder / "graph.json", "--from", "4.7.1", "-o",
                   "json", "--prometheus", server.url(""), "--every", "10ms", "--risk-query-interval", "0s",
                   "--risk-repeat-interval", "0s"},
                  output);
  {
    std::unique_lock lock(mutex);
    ASSERT_TRUE(changed.wait_for(lock, std::chrono::seconds(30), [&] { return asked >= 6; }));
  }
  const int status = process.end(SIGTERM);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  std::vector<std::string> verdicts;
  const std::string text = read_file(output).value();
  for (const std::string_view line : split(trim(text), '\n')) {
    const json::Value document = json::parse(line).value_or(nullptr);
    verdicts.emplace_back(json::find_string(risks_of(document).at(0), "verdict").value_or("none"));
  }
  EXPECT_EQ(verdicts, (std::vector<std::string>{"matches", "does not match"})) << text;
}

TEST(RiskCheck, EveryAsksForTheGraphAgain) {
  std::mutex mutex;
  std::condition_variable changed;
  std::set<std::string> asked;
  FakeService server([&](const http::Request& request) {
    const std::lock_guard lock(mutex);
    for (const auto& [name, value] : http::parse_query(request.query)) {
      if (name == "query") asked.insert(value);
    }
    changed.notify_all();
    return sample("1");
  });
  const TempDirectory folder;
  const auto graph = folder / "graph.json";
  ASSERT_TRUE(write_file_atomically(graph, graph_with({"max(a)"})));
  Process process(
      {FAIRWAY_BINARY, "risk", "check", "--graph", graph, "--from", "4.7.1", "--prometheus", server.url(""),
       "--every", "10ms", "--risk-query-interval", "0s", "--risk-repeat-interval", "0s"},
      (folder / "output").string());
  const auto is_asked = [&](const char* query) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, std::chrono::seconds(30), [&] { return asked.contains(query); });
  };
  ASSERT_TRUE(is_asked("max(a)"));
  // One that cannot be read leaves the last one.
  ASSERT_TRUE(write_file_atomically(graph, "{"));
  ASSERT_TRUE(write_file_atomically(graph, graph_with({"max(b)"})));
  EXPECT_TRUE(is_asked("max(b)"));
  const int status = process.end(SIGTERM);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/// The reports that a watch has printed so far, one a line.
std::vector<json::Value> reports_in(const std::string& file) {
  std::vector<json::Value> reports;
  const std::string text = read_file(file).value_or("");
  for (const std::string_view line : split(trim(text), '\n')) {
    if (auto document = json::parse(line)) reports.push_back(*std::move(document));
  }
  return reports;
}

TEST(RiskCheck, EverySaysThatTheReleaseHasLeftTheGraph) {
  FakeService server([](const http::Request&) { return sample("0"); });
  const TempDirectory folder;
  const std::string graph = folder / "graph.json", output = folder / "output";
  ASSERT_TRUE(write_file_atomically(graph, graph_with({"max(a)"})));
  Process process(
      {FAIRWAY_BINARY, "risk", "check", "--graph", graph, "--from", "4.7.1", "-o", "json", "--prometheus",
       server.url(""), "--every", "10ms", "--risk-query-interval", "0s", "--risk-repeat-interval", "0s"},
      output);
  ASSERT_TRUE(eventually([&] { return !reports_in(output).empty(); }));
  ASSERT_TRUE(write_file_atomically(
      graph, R"({"nodes":[{"version":"4.7.2","payload":"b"}],"edges":[],"conditionalEdges":[]})"));
  ASSERT_TRUE(eventually([&] { return reports_in(output).size() > 1; })) << read_file(output).value_or("");
  // It may come back.
  ASSERT_TRUE(write_file_atomically(graph, graph_with({"max(a)"})));
  EXPECT_TRUE(eventually([&] { return reports_in(output).size() > 2; })) << read_file(output).value_or("");
  const int status = process.end(SIGTERM);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  std::vector<std::string> said;
  for (const json::Value& report : reports_in(output)) {
    said.push_back(std::to_string(json::find(report, "updates")->as_array().size()) + " updates; " +
                   std::string(json::find_string(report, "gone").value_or("")));
  }
  EXPECT_EQ(said, (std::vector<std::string>{"1 updates; ", "0 updates; 4.7.1 is no longer in the graph",
                                            "1 updates; "}));
}

TEST(RiskCheck, EverySaysThatTheChannelIsGone) {
  FakeService server([](const http::Request&) { return sample("0"); });
  const TempDirectory folder;
  const std::string data = folder / "data", output = folder / "output";
  std::filesystem::copy(FAIRWAY_SOURCE_DIR "/examples/graph-data", data,
                        std::filesystem::copy_options::recursive);
  Process process({FAIRWAY_BINARY, "risk", "check", "--graph-data", data, "--releases",
                   FAIRWAY_SOURCE_DIR "/examples/releases.json", "--channel", "stable-4.7", "--from",
                   "4.6.23", "--prometheus", server.url(""), "--every", "10ms", "--risk-query-interval", "0s",
                   "--risk-repeat-interval", "0s"},
                  output);
  const auto says = [&](const char* text) { return read_file(output).value_or("").contains(text); };
  ASSERT_TRUE(eventually([&] { return says("NotExposedToRisks"); })) << read_file(output).value_or("");
  std::filesystem::remove(data + "/channels/stable-4.7.yaml");
  EXPECT_TRUE(eventually([&] { return says("(amd64): none any more\n  there is no channel 'stable-4.7'"); }))
      << read_file(output).value_or("");
  const int status = process.end(SIGTERM);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace fairway::testing
