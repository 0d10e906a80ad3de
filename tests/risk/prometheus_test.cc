// SPDX-License-Identifier: Apache-2.0

// The remote evaluator against Debian's prometheus, which scrapes a target of the test's own.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "base/clock.h"
#include "risk/asked.h"
#include "risk/evaluators/local.h"
#include "risk/evaluators/remote.h"
#include "risk/rounds.h"
#include "support/fake_service.h"
#include "support/prometheus_server.h"

namespace fairway::risk {
namespace {

using namespace std::chrono_literals;
using fairway::testing::FakeService;
using fairway::testing::PrometheusServer;
using testing::ask;
using testing::shown;

constexpr const char* metrics = R"(# TYPE cluster_infrastructure_provider gauge
cluster_infrastructure_provider{type="AWS",region="eu-1"} 1
cluster_proxy_enabled{type="http"} 0
cluster_proxy_enabled{type="https"} 1
cluster_operator_conditions{name="dns",condition="Degraded"} 0
cluster_operator_conditions{name="etcd",condition="Degraded"} 1
risk_value{case="half"} 0.5
risk_value{case="negzero"} -0
risk_value{case="nan"} NaN
)";

class RealPrometheus : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!PrometheusServer::installed()) GTEST_SKIP() << "prometheus is not installed (./dev deps test)";
    server_ = std::make_unique<PrometheusServer>(
        "global:\n  scrape_interval: 200ms\n  scrape_timeout: 200ms\nscrape_configs:\n- job_name: text\n"
        "  static_configs:\n  - targets: ['" +
        target_.address() + "']\n");
    PrometheusOptions options;
    options.url = server_->url();
    options.proxy_environment = false;
    remote_ = make_remote(PrometheusApi::create(options).value());
  }
  /// Asks until the answer is as wanted, and returns the last one.
  std::string ask_until(const std::string& query, const std::string& wanted) {
    const auto deadline = Clock::system().steady() + 30s;
    std::string said;
    do {
      said = shown(ask(*remote_, query));
      if (said == wanted) break;
      Clock::system().wait_until(Clock::system().steady() + 50ms, {});
    } while (Clock::system().steady() < deadline);
    return said;
  }

  FakeService target_{[](const http::Request&) { return http::Response::text(200, metrics); }};
  std::unique_ptr<PrometheusServer> server_;
  std::unique_ptr<Evaluator> remote_;
};

TEST_F(RealPrometheus, IsJudgedAndTheLocalEvaluatorSaysTheSame) {
  ASSERT_EQ(ask_until("max(cluster_infrastructure_provider{type=~\"AWS|Azure\"})", "matches"), "matches");
  const auto local = LocalEvaluator::create(
                         {.targets = {target_.url("/metrics")}, .proxy_environment = false}, Clock::system())
                         .value();
  const std::string found_twice =
      "executing PromQL query: execution: found duplicate series for the match group {}";
  for (const auto& [query, wanted] : std::vector<std::pair<std::string, std::string>>{
           {"group(cluster_infrastructure_provider{type=\"Azure\"})",
            "invalid PromQL result length must be one, but is 0"},
           {"group by (type) (cluster_infrastructure_provider{type=\"Azure\"}) or\n0 * group by (type) "
            "(cluster_infrastructure_provider)",
            "does not match"},
           {"max(cluster_proxy_enabled{type=~\"https?\"})", "matches"},
           {"cluster_proxy_enabled", "invalid PromQL result length must be one, but is 2"},
           {"risk_value{case=\"half\"}", "invalid PromQL result (must be 0 or 1): 0.5"},
           {"risk_value{case=\"negzero\"}", "does not match"},
           {"risk_value{case=\"nan\"}", "invalid PromQL result (must be 0 or 1): NaN"},
           {"topk(1, group by (name) (cluster_operator_conditions{condition=\"Degraded\"} == 1) or 0 * group "
            "by "
            "(name) (cluster_operator_conditions))",
            "matches"},
           {"scalar(max(up))", "invalid PromQL result type is scalar, not vector"},
           {"\"hello\"", "invalid PromQL result type is string, not vector"},
           {"cluster_operator_conditions * on (condition) cluster_operator_conditions", found_twice},
           {"label_replace(cluster_operator_conditions, \"name\", \"x\", \"name\", \".*\")",
            "executing PromQL query: execution: vector cannot contain metrics with the same labelset"},
       }) {
    const std::string far = shown(ask(*remote_, query)), near = shown(ask(*local, query));
    if (wanted == found_twice) {  // which labels it names is another matter
      EXPECT_NE(far.find("execution: found duplicate series"), std::string::npos) << far;
      EXPECT_NE(near.find("execution: found duplicate series"), std::string::npos) << near;
      continue;
    }
    EXPECT_EQ(far, wanted) << query;
    EXPECT_EQ(near, wanted) << query;
  }
}

TEST_F(RealPrometheus, TargetsAndServersGoAndComeBack) {
  const std::string query = "max(cluster_proxy_enabled{type=~\"https?\"})";
  const std::string none = "invalid PromQL result length must be one, but is 0";
  ASSERT_EQ(ask_until(query, "matches"), "matches");
  target_.answer([](const http::Request&) { return http::Response::text(503, ""); });
  EXPECT_EQ(ask_until(query, none), none);
  target_.answer([](const http::Request&) {
    return http::Response::text(200, "cluster_proxy_enabled{type=\"http\"} 0\n");
  });
  EXPECT_EQ(ask_until(query, "does not match"), "does not match");

  // A round over the real server, and one when it is gone.
  const Registry registry = standard_registry();
  Rounds rounds(registry, *remote_, {.between_any = 0s, .between_same = 0s}, Clock::system());
  const ConditionalUpdate update{testing::version("4.7.4"),
                                 {testing::risk("Proxy", {testing::promql_rule(query)})}};
  auto verdicts = rounds.run(std::span(&update, 1));
  EXPECT_EQ(verdicts.value().front().recommended.status, Status::is_true);
  server_->process().end(SIGKILL);
  verdicts = rounds.run(std::span(&update, 1));
  EXPECT_EQ(verdicts.value().front().recommended.status, Status::unknown);
  EXPECT_EQ(verdicts.value().front().recommended.reason, "PromQLError");
}

}  // namespace
}  // namespace fairway::risk
