// SPDX-License-Identifier: Apache-2.0

// What the operator says beside ClusterVersion: metrics, events, and the risks, which `fairway risk status`
// shows.
#include "base/text.h"
#include "http/client.h"
#include "k8s/core.h"
#include "openshift/cluster_operator.h"
#include "operators/operator_case.h"

namespace fairway::operators::testing {
namespace {

using fairway::testing::eventually;

class StatusReportCase : public OperatorCase {
 protected:
  /// Starts the operator with a status port that is known, and the usual polling rules.
  void start_operator(const Stubs& stubs) {
    std::vector<std::string> all =
        arguments({"--upstream", stubs.upstream(), "--prometheus", stubs.prometheus(), "--release",
                   "4.6.23=registry.example.com/release:4.6.23"});
    // Somebody else may have taken the port before: then there is another one.
    ASSERT_TRUE(eventually([&] {
      if (process_ && process_->running() && is_alive()) return true;
      if (process_ && process_->running()) return false;
      port_ = fairway::testing::free_loopback_port();
      std::vector<std::string> now;
      for (const std::string& argument : all) {
        if (argument.starts_with("--risk-")) continue;
        now.push_back(argument.starts_with("--status-listen=") ? "--status-listen=" + address() : argument);
      }
      process_ = std::make_unique<fairway::testing::Process>(now, log_path());
      return false;
    })) << log();
  }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  bool is_alive() const { return get("/livez") == "ok\n"; }
  std::string get(const std::string& path) const {
    http::Call call;
    call.url = http::Url::parse("http://" + address() + path).value();
    call.limits = Limits::within(Clock::system(), fairway::testing::generous(std::chrono::seconds(2)));
    const auto reply = http_->send(call);
    return reply ? reply->body : "";
  }
  std::string risk_status(const std::string& format) {
    const std::string output = (folder_ / "output").string();
    std::filesystem::remove(output);
    fairway::testing::Process process(
        {FAIRWAY_BINARY, "risk", "status", "--operator", address(), "-o", format}, output);
    process.wait();
    return read_file(output).value_or("");
  }
  std::vector<std::string> event_reasons() const {
    std::vector<std::string> found;
    const auto list = client_->list(k8s::Event::resource.group_version_resource(), "default");
    if (!list) return found;
    for (const k8s::Dynamic& event : list->items) found.emplace_back(event.text("reason"));
    std::ranges::sort(found);
    return found;
  }

  std::unique_ptr<http::Client> http_ =
      http::Client::create({.system_cas = false, .proxy_environment = false}).value();
  std::unique_ptr<fairway::testing::Process> process_;
  int port_ = 0;
};

/// Returns a round in which 4.6.23 may be updated to 4.7.4, which has the risks A and B.
json::Value two_risks(int a) {
  const auto node = [](const char* version) {
    return json::Object{{"version", version}, {"payload", std::string("registry.example.com/r:") + version}};
  };
  const auto risk = [](const char* name) {
    return json::Object{
        {"url", "https://example.com/" + std::string(name)},
        {"name", name},
        {"message", std::string(name) + " message."},
        {"matchingRules",
         json::Array{json::Object{{"type", "PromQL"}, {"promql", json::Object{{"promql", name}}}}}}};
  };
  json::Object body{
      {"nodes", json::Array{node("4.6.23"), node("4.7.4")}},
      {"edges", json::Array{}},
      {"conditionalEdges",
       json::Array{json::Object{{"edges", json::Array{json::Object{{"from", "4.6.23"}, {"to", "4.7.4"}}}},
                                {"risks", json::Array{risk("A"), risk("B")}}}}}};
  return json::Object{{"cincinnati", json::Object{{"body", std::move(body)}}},
                      {"promql", json::Object{{"A", a}, {"B", 0}}}};
}

TEST_F(StatusReportCase, RisksHaveVerdictsTimesAndPlaces) {
  Stubs stubs;
  stubs.begin(two_risks(0));
  write_cluster(json::Object{{"clusterID", "897f0a22-33ca-4106-a2c4-29b75250255a"}, {"channel", "c"}});
  start_operator(stubs);
  // A is evaluated, and B has to wait for its turn.
  ASSERT_TRUE(eventually([&] { return risk_status("json").contains("waiting"); }))
      << risk_status("json") << log();
  const auto document = json::parse(risk_status("json"));
  ASSERT_TRUE(document) << risk_status("json");
  const auto risks = k8s::View(document->get_object()).items("risks");
  ASSERT_EQ(risks.size(), 2U);
  EXPECT_EQ(risks[0].text("verdict"), "does not match");
  EXPECT_EQ(risks[0].integer("place"), 2);
  EXPECT_TRUE(risks[0].has("last"));
  EXPECT_EQ(risks[1].integer("place"), 1);
  EXPECT_TRUE(risks[1].text("error").starts_with("evaluation is throttled until")) << risks[1].text("error");
  const std::string table = risk_status("table");
  EXPECT_TRUE(table.contains("RISK  UPDATES  EVALUATED")) << table;
  EXPECT_TRUE(table.contains("B     4.7.4    -")) << table;

  const std::string metrics = get("/metrics");
  EXPECT_TRUE(metrics.contains("fairway_operator_risk_verdict{risk=\"B\",verdict=\"waiting\"} 1\n"))
      << metrics;
  EXPECT_TRUE(metrics.contains("fairway_operator_risk_queue_place{risk=\"B\"} 1\n")) << metrics;
  EXPECT_TRUE(eventually([&] {
    return get("/metrics")
        .contains(
            "cluster_version_conditional_update_condition_seconds{condition=\"Recommended\",reason="
            "\"PromQLError\",status=\"Unknown\",version=\"4.7.4\"}");
  })) << get("/metrics");

  // Its turn came, and what was said of it before is gone.
  set_clock(700);
  EXPECT_TRUE(eventually([&] {
    const std::string now = get("/metrics");
    return now.contains("version=\"4.7.4\"} ") && now.contains("reason=\"NotExposedToRisks\"") &&
           !now.contains("PromQLError");
  })) << get("/metrics");
  EXPECT_TRUE(eventually([&] {
    const std::vector<std::string> reasons = event_reasons();
    return std::ranges::find(reasons, "UpdateAvailable") != reasons.end();
  })) << log();
}

TEST_F(StatusReportCase, ComponentsAreMetrics) {
  Stubs stubs;
  stubs.begin(two_risks(0));
  const auto kind = openshift::ClusterOperator::resource.group_version_resource();
  auto component = k8s::make<openshift::ClusterOperator>("dns");
  component.object("spec");
  auto created = client_->create(kind, component);
  ASSERT_TRUE(created) << created.error().message;
  start_operator(stubs);
  EXPECT_TRUE(eventually([&] {
    return get("/metrics")
        .contains("cluster_operator_up{name=\"dns\",reason=\"NoAvailableCondition\",version=\"\"} 0\n");
  })) << get("/metrics")
      << log();
  ASSERT_TRUE(client_->remove(kind, {"", "dns"}));
  EXPECT_TRUE(eventually([&] { return !get("/metrics").contains("name=\"dns\""); })) << get("/metrics");
}

}  // namespace
}  // namespace fairway::operators::testing
