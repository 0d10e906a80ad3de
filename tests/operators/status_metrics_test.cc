// SPDX-License-Identifier: Apache-2.0

// ClusterVersion, ClusterOperators and risks as metrics: true, and gone when they are no longer.
#include "operators/status_metrics.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace fairway::operators {
namespace {

openshift::ClusterVersion cluster(const char* text) {
  return openshift::ClusterVersion(json::parse(text).value().as_object());
}

/// Returns the lines of a family, without its head.
std::vector<std::string> series(const StatusMetrics& metrics, const std::string& family) {
  std::vector<std::string> found;
  const std::string text = metrics.text();
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with(family + "{")) found.emplace_back(line.substr(family.size()));
  }
  return found;
}
using Series = std::vector<std::string>;

constexpr const char* updating = R"({
  "metadata":{"name":"version","creationTimestamp":"2026-02-19T00:00:00Z"},
  "spec":{"channel":"stable-4.7","desiredUpdate":{"version":"4.7.5","image":"i475"}},
  "status":{
    "desired":{"version":"4.7.4","image":"i474"},
    "history":[
      {"state":"Partial","version":"4.7.4","image":"i474","startedTime":"2026-02-19T03:00:00Z"},
      {"state":"Completed","version":"4.6.23","image":"i4623","startedTime":"2026-02-19T01:00:00Z","completionTime":"2026-02-19T02:00:00Z"},
      {"state":"Completed","version":"4.6.22","image":"i4622","startedTime":"2026-02-19T00:00:00Z","completionTime":"2026-02-19T00:30:00Z"}],
    "availableUpdates":[{"version":"4.7.6","image":"i476"}],
    "conditionalUpdates":[{"release":{"version":"4.7.7","image":"i477"},"conditions":[
      {"type":"Recommended","status":"Unknown","reason":"PromQLError","lastTransitionTime":"2026-02-19T04:00:00Z"}]}],
    "conditions":[
      {"type":"Failing","status":"True","reason":"Slow","lastTransitionTime":"2026-02-19T05:00:00Z"},
      {"type":"Available","status":"True"},
      {"type":"Progressing","status":"Unknown"}]}})";

TEST(StatusMetrics, SayWhatEachReleaseIsToTheCluster) {
  StatusMetrics metrics;
  const auto version = cluster(updating);
  metrics.record_cluster_version(&version, "https://user:secret@example.com/graph?token=secret");
  EXPECT_EQ(series(metrics, "cluster_version"),
            (Series{R"({from_version="",image="i4622",type="initial",version="4.6.22"} 1771459200)",
                    R"({from_version="4.6.22",image="i4623",type="completed",version="4.6.23"} 1771466400)",
                    R"({from_version="4.6.22",image="i474",type="cluster",version="4.7.4"} 1771459200)",
                    R"({from_version="4.6.23",image="i474",type="current",version="4.7.4"} 1771470000)",
                    R"({from_version="4.6.23",image="i474",type="failure",version="4.7.4"} 1771477200)",
                    R"({from_version="4.6.23",image="i474",type="updating",version="4.7.4"} 1771470000)",
                    R"({from_version="4.6.23",image="i475",type="desired",version="4.7.5"} 0)",
                    R"({from_version="4.6.23",image="i475",type="failure",version="4.7.5"} 1771477200)"}));
  const Series available = series(metrics, "cluster_version_available_updates");
  ASSERT_EQ(available.size(), 1U);
  EXPECT_TRUE(available[0].contains(R"(channel="stable-4.7")")) << available[0];
  EXPECT_TRUE(available[0].ends_with(" 1")) << available[0];
  EXPECT_FALSE(available[0].contains("secret")) << available[0];
  EXPECT_EQ(
      series(metrics, "cluster_version_conditional_update_condition_seconds"),
      Series{
          R"({condition="Recommended",reason="PromQLError",status="Unknown",version="4.7.7"} 1771473600)"});
  // Unknown is none of them.
  EXPECT_EQ(series(metrics, "cluster_operator_conditions"),
            (Series{R"({condition="Available",name="version",reason=""} 1)",
                    R"({condition="Failing",name="version",reason="Slow"} 1)"}));
  EXPECT_EQ(series(metrics, "cluster_operator_up"),
            Series{R"({name="version",reason="",version="4.7.4"} 1)"});
}

TEST(StatusMetrics, WhatIsNoLongerSoIsGone) {
  StatusMetrics metrics;
  auto version = cluster(updating);
  metrics.record_cluster_version(&version, "");
  EXPECT_EQ(series(metrics, "cluster_version_available_updates"),
            Series{R"({channel="stable-4.7",upstream="<default>"} 1)"});
  version = cluster(R"({"status":{"desired":{"version":"4.7.4","image":"i474"},"conditionalUpdates":[
    {"release":{"version":"4.7.7"},"conditions":[{"type":"Recommended","status":"True","reason":"NotExposedToRisks"}]}]}})");
  metrics.record_cluster_version(&version, "");
  EXPECT_EQ(
      series(metrics, "cluster_version_conditional_update_condition_seconds"),
      Series{R"({condition="Recommended",reason="NotExposedToRisks",status="True",version="4.7.7"} 0)"});
  EXPECT_EQ(series(metrics, "cluster_version").size(), 2U);
  EXPECT_EQ(series(metrics, "cluster_operator_up"), Series{});
  EXPECT_EQ(series(metrics, "cluster_operator_conditions"), Series{});
  metrics.record_cluster_version(nullptr, "");
  EXPECT_EQ(metrics.text(), "");
}

TEST(StatusMetrics, CountHowOftenAComponentChanged) {
  StatusMetrics metrics;
  const auto record = [&](const std::string& status) {
    const openshift::ClusterOperator one(
        json::parse(R"({"status":{"versions":[{"name":"operator","version":"4.7.4"}],"conditions":[
          {"type":"Available","status":")" +
                    status + R"(","reason":"R)" + status + R"("},{"type":"Degraded","status":"False"}]}})")
            .value()
            .as_object());
    metrics.record_cluster_operator("a", &one);
  };
  const openshift::ClusterOperator silent(json::Object{});
  metrics.record_cluster_operator("b", &silent);
  // The name is that of the cluster as a whole.
  metrics.record_cluster_operator("version", &silent);
  record("True");
  EXPECT_EQ(series(metrics, "cluster_operator_condition_transitions"), Series{});
  record("False");
  record("False");
  record("True");
  EXPECT_EQ(series(metrics, "cluster_operator_up"),
            (Series{R"({name="a",reason="RTrue",version="4.7.4"} 1)",
                    R"({name="b",reason="NoAvailableCondition",version=""} 0)"}));
  EXPECT_EQ(series(metrics, "cluster_operator_condition_transitions"),
            Series{R"({condition="Available",name="a"} 2)"});
  metrics.record_cluster_operator("a", nullptr);
  metrics.record_cluster_operator("b", nullptr);
  EXPECT_EQ(metrics.text(), "");
}

TEST(StatusMetrics, AreBounded) {
  StatusMetrics metrics;
  json::Array updates;
  for (int i = 0; i < 6'000; ++i) {
    updates.push_back(
        json::Object{{"release", json::Object{{"version", "4.7." + std::to_string(i)}}},
                     {"conditions", json::Array{json::Object{{"type", "Recommended"}, {"status", "True"}}}}});
  }
  const openshift::ClusterVersion version(
      json::Object{{"status", json::Object{{"conditionalUpdates", std::move(updates)}}}});
  metrics.record_cluster_version(&version, "");
  EXPECT_EQ(series(metrics, "cluster_version_conditional_update_condition_seconds").size(),
            StatusMetrics::max_series);
  const openshift::ClusterOperator silent(json::Object{});
  for (int i = 0; i < 600; ++i) metrics.record_cluster_operator("o" + std::to_string(i), &silent);
  EXPECT_LE(series(metrics, "cluster_operator_up").size(), 500U);
}

/// Two updates that share a risk, and one with a rule of its own under the same name.
struct Found {
  Found() {
    const auto rule = [](const char* query) {
      return json::Array{json::Object{{"type", "PromQL"}, {"promql", json::Object{{"promql", query}}}}};
    };
    const graph::Risk shared{"https://example.com/R", "R", "R message.", rule("r")};
    const graph::Risk other{"https://example.com/R", "R", "R message.", rule("other")};
    const graph::Risk waiting{"https://example.com/W", "W", "W message.", rule("w")};
    for (const char* version : {"4.7.6", "4.7.5", "4.7.4"}) {
      offer.targets.emplace_back().version = version;
      offer.updates.push_back({Version::parse(version).value(), {}});
    }
    offer.updates[0].risks = {shared, waiting};
    offer.updates[1].risks = {shared};
    offer.updates[2].risks = {other};
    offer.current.version = "4.6.23";
    const WallTime at = parse_time("2026-02-19T12:00:00Z").value();
    const risk::RiskVerdict no{.outcome = risk::Outcome::does_not_match,
                               .value = 0,
                               .evaluator = "remote",
                               .last = at,
                               .next = at + std::chrono::hours(1),
                               .place = 2};
    risk::RiskVerdict yes = no;
    yes.outcome = risk::Outcome::matches;
    const risk::RiskVerdict not_yet{.outcome = risk::Outcome::failed,
                                    .error = "evaluation is throttled",
                                    .next = at + std::chrono::minutes(10),
                                    .place = 1};
    verdicts = {{{}, {}, {no, not_yet}}, {{}, {}, {no}}, {{}, {}, {yes}}};
  }
  RiskStatus status() const { return {&offer, verdicts, parse_time("2026-02-19T12:05:00Z").value()}; }
  AvailableUpdates offer;
  std::vector<risk::UpdateVerdict> verdicts;
};

TEST(StatusMetrics, OfRisksWithOneNameTheGravestCounts) {
  StatusMetrics metrics;
  const Found found;
  metrics.record_risks(found.status(), false);
  EXPECT_EQ(series(metrics, "fairway_operator_risk_verdict"),
            (Series{R"({risk="R",verdict="matches"} 1)", R"({risk="W",verdict="waiting"} 1)"}));
  EXPECT_EQ(series(metrics, "fairway_operator_risk_evaluated_timestamp_seconds"),
            Series{R"({risk="R"} 1771502400)"});
  EXPECT_EQ(series(metrics, "fairway_operator_risk_next_evaluation_timestamp_seconds"),
            (Series{R"({risk="R"} 1771506000)", R"({risk="W"} 1771503000)"}));
  EXPECT_EQ(series(metrics, "fairway_operator_risk_queue_place"),
            (Series{R"({risk="R"} 2)", R"({risk="W"} 1)"}));
  EXPECT_EQ(series(metrics, "cluster_version_risk_conditions"), Series{});
  metrics.record_risks(found.status(), true);
  EXPECT_EQ(series(metrics, "cluster_version_risk_conditions"),
            (Series{R"({condition="Applies",reason="EvaluationFailed",risk="W"} -1)",
                    R"({condition="Applies",reason="Match",risk="R"} 1)"}));
  metrics.record_risks({}, true);
  EXPECT_EQ(metrics.text(), "");
}

TEST(RiskStatus, NamesEachRiskOnceWithItsUpdates) {
  const Found found;
  const auto document = json::parse(to_json_text(found.status()));
  ASSERT_TRUE(document);
  const k8s::View status(document->get_object());
  EXPECT_EQ(status.text("version"), "4.6.23");
  EXPECT_EQ(status.items("updates").size(), 3U);
  const auto risks = status.items("risks");
  ASSERT_EQ(risks.size(), 3U);
  EXPECT_EQ(risks[0].texts("versions"), (std::vector<std::string_view>{"4.7.6", "4.7.5"}));
  EXPECT_EQ(risks[0].text("verdict"), "does not match");
  EXPECT_EQ(risks[0].text("next"), "2026-02-19T13:00:00Z");
  EXPECT_EQ(risks[1].text("verdict"), "waiting");
  EXPECT_EQ(risks[1].integer("place"), 1);
  EXPECT_FALSE(risks[1].has("last"));
  EXPECT_EQ(risks[2].text("name"), "R");
  EXPECT_EQ(risks[2].text("verdict"), "matches");
}

}  // namespace
}  // namespace fairway::operators
