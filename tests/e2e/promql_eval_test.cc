// SPDX-License-Identifier: Apache-2.0

// `fairway promql eval --prometheus` beside Debian's prometheus, and beside servers that are none.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <string>
#include <vector>

#include "base/file.h"
#include "promql/engine/labels.h"
#include "support/fake_service.h"
#include "support/process.h"
#include "support/prometheus_server.h"
#include "support/temp_directory.h"

namespace fairway::testing {
namespace {

struct Ran {
  int exit_code = 0;
  std::string output;
};

/// `fairway promql eval` with these arguments.
Ran eval(std::vector<std::string> arguments) {
  const TempDirectory folder;
  const std::string output = (folder / "output").string();
  arguments.insert(arguments.begin(), {FAIRWAY_BINARY, "promql", "eval"});
  Process process(arguments, output);
  const int status = process.wait();
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(output).value_or("")};
}

constexpr promql::Timestamp begin = 1'700'000'000'123;

std::vector<promql::Series> some_series() {
  promql::SeriesStore store;
  std::vector<promql::Series> all;
  for (const char* job : {"api", "node"}) {
    promql::Series series;
    series.labels = promql::LabelSet::make({{"__name__", "requests_total"}, {"job", job}});
    for (int i = 0; i < 20; ++i) series.points.push_back({begin + i * 15'000, i * 2.5});
    all.push_back(std::move(series));
  }
  return all;
}

TEST(PromqlEval, ShowsWhatPrometheusAnswers) {
  if (!PrometheusServer::installed())
    GTEST_SKIP() << "prometheus is not installed (apt-get install prometheus)";
  PrometheusServer server;
  server.write(some_series());
  for (const std::string query : {"requests_total", "rate(requests_total[1m])", "time()", "\"text\"",
                                  "requests_total[20s]", "absent(nothing)", "0 / vector(0)"}) {
    const Ran ran = eval({query, "--prometheus", server.url(), "--time", "1700000100.623", "-o", "json"});
    EXPECT_EQ(ran.exit_code, 0) << ran.output;
    EXPECT_EQ(ran.output,
              server.get("/api/v1/query", {{"query", query}, {"time", "1700000100.623"}}).body + "\n");
  }
  const Ran range = eval({"sum(requests_total) by (job)", "--prometheus", server.url() + "/", "--time",
                          "1700000100.5", "--range", "1m", "--step", "500ms", "-o", "json"});
  EXPECT_EQ(range.output, server.get("/api/v1/query_range", {{"query", "sum(requests_total) by (job)"},
                                                             {"start", "1700000040.5"},
                                                             {"end", "1700000100.5"},
                                                             {"step", "0.5"}})
                                  .body +
                              "\n");
  const Ran table =
      eval({"requests_total > bool 5", "--prometheus", server.url(), "--time", "1700000100.623"});
  EXPECT_EQ(table.output, "{job=\"api\"}   1\n{job=\"node\"}  1\n");
}

TEST(PromqlEval, SaysWhatPrometheusRefuses) {
  if (!PrometheusServer::installed())
    GTEST_SKIP() << "prometheus is not installed (apt-get install prometheus)";
  PrometheusServer server;
  server.write(some_series());
  const Ran wrong = eval({"sum(up", "--prometheus", server.url()});
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_EQ(wrong.output, "error: 1:7: parse error: unclosed left parenthesis\n  sum(up\n        ^\n");
  const Ran failed =
      eval({"requests_total * on () requests_total", "--prometheus", server.url(), "--time", "1700000100"});
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_TRUE(failed.output.starts_with(
      "error: asking Prometheus: execution: found duplicate series for the match group {} on the right"))
      << failed.output;
  // What only Prometheus 3 knows is sent, and refused by 2.42.
  const Ran newer = eval({"first_over_time(up[5m])", "--prometheus", server.url(), "-o", "json"});
  EXPECT_EQ(newer.output,
            "{\"status\":\"error\",\"errorType\":\"bad_data\",\"error\":\"invalid parameter \\\"query\\\": "
            "1:1: parse "
            "error: unknown function with name \\\"first_over_time\\\"\"}\n");
}

TEST(PromqlEval, SendsItsTokenAndSaysWhatMayHelp) {
  const TempDirectory folder;
  const std::string token = folder.write("token", "secret\n").string();
  FakeService service([](const http::Request&) { return http::Response::text(401, "no"); });
  const std::string url = service.url("/prometheus");
  EXPECT_EQ(eval({"up", "--prometheus", url, "--prometheus-token-file", token}).output,
            "error: asking Prometheus: client_error: client error: 401; the server wants credentials: "
            "--prometheus-token-file FILE with a bearer token (on OpenShift, of `oc whoami -t`)\n");
  ASSERT_EQ(service.seen().size(), 1U);
  EXPECT_EQ(service.seen()[0].headers.at("Authorization"), "Bearer secret");
  EXPECT_TRUE(service.seen()[0].target.starts_with("/prometheus/api/v1/query?query=up&"))
      << service.seen()[0].target;

  service.answer([](const http::Request&) {
    return http::Response::json(200,
                                "{\"status\":\"success\",\"data\":{\"resultType\":"
                                "\"vector\",\"result\":[{\"metric\":{},\"histogram\":[1,{}]}]}}");
  });
  EXPECT_EQ(eval({"up", "--prometheus", url}).output,
            "error: asking Prometheus: unavailable: native histograms are not supported, and the answer has "
            "them\n");
  service.answer([](const http::Request&) {
    return http::Response::json(200,
                                "{\"status\":\"success\",\"data\":{\"resultType\":"
                                "\"vector\",\"result\":[{\"metric\":{\"a\":1},\"value\":[1,\"1\"]}]}}");
  });
  EXPECT_EQ(eval({"up", "--prometheus", url, "--time", "-1.5"}).output,
            "error: asking Prometheus: bad_response: the label a is no text\n");
  service.answer([](const http::Request&) {
    http::Response moved = http::Response::text(302, "");
    moved.headers.set("Location", "https://login.example/");
    return moved;
  });
  EXPECT_EQ(
      eval({"up", "--prometheus", url}).output,
      "error: asking Prometheus: bad_response: bad response code 302: a redirect to https://login.example/; "
      "redirects are not followed; give the URL that it redirects to\n");
}

}  // namespace
}  // namespace fairway::testing
