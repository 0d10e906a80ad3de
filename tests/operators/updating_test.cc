// SPDX-License-Identifier: Apache-2.0

// The program takes updates: releases from a registry of this process, applied to an API server of it.
#include <csignal>
#include <functional>

#include "http/client.h"
#include "openshift/cluster_operator.h"
#include "operators/updating_case.h"
#include "support/accepted_risks.h"

namespace fairway::operators::testing {
namespace {

TEST_F(Updating, GoesOnAfterAKillAndKeepsWhatItHasApplied) {
  add_release("4.6.23", {{"0000_10_a_1.yaml", map_yaml("a", "1")}});
  add_release("4.7.4", {{"0000_10_a_1.yaml", map_yaml("a", "2")},
                        {"0000_20_b_1.yaml", deployment},
                        {"0000_30_c_1.yaml", map_yaml("after", "1")}});
  begin();
  EXPECT_EQ(history(), "Completed 4.6.23");
  ask_for({{"version", "4.7.4"}, {"image", releases_.image("4.7.4")}});
  ASSERT_TRUE(eventually([&] { return said("Progressing").contains("waiting on deployment"); })) << why();
  EXPECT_EQ(
      said("Progressing"),
      "True WorkloadNotAvailable: Working towards 4.7.4: 1 of 3 done (33% complete), waiting on deployment "
      "\"default/web\"");
  EXPECT_EQ(history(), "Partial 4.7.4, Completed 4.6.23");
  EXPECT_EQ(
      fairway::testing::without_unsigned(text(newest(), "acceptedRisks")),
      "Updating from 4.6.23 to 4.7.4 is supported, but not recommended for this cluster.\n\nReason: R\n\nR "
      "message. https://example.com/R");
  const std::string started = text(newest(), "startedTime");

  process_->end(SIGKILL);
  ASSERT_TRUE(client_->patch(config_maps, {"default", "a"}, kube::PatchType::merge,
                             json::parse(R"({"data":{"a":"of somebody else"}})").value()));
  start_operator();
  ASSERT_TRUE(eventually([&] { return value("a") == "2"; })) << why();
  EXPECT_EQ(history(), "Partial 4.7.4, Completed 4.6.23");
  EXPECT_EQ(value("after"), "none");
  roll_out();
  ASSERT_TRUE(eventually([&] { return history() == "Completed 4.7.4, Completed 4.6.23"; })) << why();
  EXPECT_EQ(text(newest(), "startedTime"), started);
  EXPECT_TRUE(text(newest(), "acceptedRisks").contains("\nUpdating from 4.6.23 to 4.7.4"));
  EXPECT_EQ(value("after"), "1");
  EXPECT_EQ(said("Available"), "True : Done applying 4.7.4");
  EXPECT_EQ(said("Progressing"), "False : Cluster version is 4.7.4");
  EXPECT_EQ(said("Failing"), "False : ");
  EXPECT_TRUE(eventually([&] {
    return text(member(status(), "desired"), "url") == "https://example.com/4.7.4";
  })) << why();

  ASSERT_TRUE(client_->patch(config_maps, {"default", "after"}, kube::PatchType::merge,
                             json::parse(R"({"data":{"a":"of somebody else"}})").value()));
  set_clock(300);
  EXPECT_TRUE(eventually([&] { return value("after") == "1"; })) << why();
  EXPECT_EQ(history(), "Completed 4.7.4, Completed 4.6.23");
}

TEST_F(Updating, CountsTheManifestsOfTheRelease) {
  add_release("4.6.23", {{"0000_10_a_1.yaml", map_yaml("a", "1")}});
  add_release("4.7.4", {{"0000_10_a_1.yaml", map_yaml("a", "2")}, {"0000_20_b_1.yaml", deployment}});
  offer();
  write_cluster(spec());
  int port = 0;
  const auto http = http::Client::create({.system_cas = false, .proxy_environment = false}).value();
  const auto metrics = [&] {
    http::Call call;
    call.url = http::Url::parse("http://127.0.0.1:" + std::to_string(port) + "/metrics").value();
    call.limits = Limits::within(Clock::system(), fairway::testing::generous(std::chrono::seconds(2)));
    const auto reply = http->send(call);
    return reply ? reply->body : "";
  };
  const auto counts = [&](const std::string& version, const std::string& type, int manifests) {
    return metrics().contains("cluster_version_payload{type=\"" + type + "\",version=\"" + version + "\"} " +
                              std::to_string(manifests) + "\n");
  };
  // Somebody else may take the port before: then it is another one.
  ASSERT_TRUE(eventually([&] {
    if (process_ && process_->running()) return counts("4.6.23", "applied", 1);
    port = fairway::testing::free_loopback_port();
    std::vector<std::string> all = arguments(flags());
    std::ranges::replace(all, std::string("--status-listen=127.0.0.1:0"),
                         "--status-listen=127.0.0.1:" + std::to_string(port));
    process_ = std::make_unique<fairway::testing::Process>(all, log_path());
    return false;
  })) << metrics()
      << why();
  ask_for({{"version", "4.7.4"}, {"image", releases_.image("4.7.4")}});
  EXPECT_TRUE(eventually([&] { return counts("4.7.4", "pending", 1) && counts("4.7.4", "applied", 1); }))
      << metrics() << why();
  roll_out();
  EXPECT_TRUE(eventually([&] { return counts("4.7.4", "applied", 2) && counts("4.7.4", "pending", 0); }))
      << metrics() << why();
  EXPECT_FALSE(counts("4.6.23", "applied", 1)) << "what it was before";
}

TEST_F(Updating, MigratesTheObjectsOfADefinitionBeforeItIsCompleted) {
  add_release("4.6.23", {{"0000_10_a_1.yaml", map_yaml("a", "1")},
                         {"0000_05_w_1.yaml", widgets_crd("v1alpha1")},
                         {"0000_10_w_1.yaml", widget_yaml("v1alpha1", "w")}});
  add_release("4.6.24", {{"0000_05_w_1.yaml", widgets_crd("v1")}});
  const k8s::GroupVersionResource widgets{"example.com", "v1", "widgets"};
  const k8s::GroupVersionResource definitions{"apiextensions.k8s.io", "v1", "customresourcedefinitions"};
  begin();
  ASSERT_TRUE(eventually([&] { return client_->get(widgets, {"default", "w"}).has_value(); })) << why();
  ask_for({{"version", "4.6.24"}});
  ASSERT_TRUE(eventually([&] { return history() == "Completed 4.6.24, Completed 4.6.23"; })) << why();
  EXPECT_EQ(client_->get(definitions, {"", "widgets.example.com"})->texts("status.storedVersions"),
            std::vector<std::string_view>{"v1"});
}

TEST_F(Updating, RefusesWhatItMustNotApplyUnlessForced) {
  add_release("4.6.23", {{"0000_10_a_1.yaml", map_yaml("a", "1")}});
  add_release("4.6.24", {{"0000_10_a_1.yaml", map_yaml("a", "24")}});
  add_release("4.9.0", {{"0000_10_a_1.yaml", map_yaml("a", "9")}});
  begin();
  ask_for({{"version", "4.6.25"}, {"image", releases_.image("4.6.24")}});
  EXPECT_TRUE(eventually([&] { return said("ReleaseAccepted").starts_with("False VerifyPayloadVersion"); }))
      << why();
  ask_for({{"version", "4.9.0"}});
  EXPECT_TRUE(eventually([&] { return said("ReleaseAccepted").starts_with("False PreconditionChecks"); }))
      << why();
  EXPECT_TRUE(said("ReleaseAccepted").contains("MultipleMinorVersionsUpdate")) << why();
  ask_for({{"version", "4.6.99"}});
  EXPECT_TRUE(eventually([&] { return said("Invalid").contains("spec.desiredUpdate.version"); })) << why();
  EXPECT_TRUE(said("Progressing").starts_with("False InvalidClusterVersion: Stopped at 4.6.23")) << why();
  write_spec(spec());
  EXPECT_TRUE(eventually([&] { return said("ReleaseAccepted").starts_with("True PayloadLoaded"); })) << why();
  EXPECT_TRUE(eventually([&] { return said("Invalid") == "none"; })) << why();
  EXPECT_EQ(history(), "Completed 4.6.23");
  EXPECT_EQ(value("a"), "1");
  ask_for({{"version", "4.9.0"}, {"force", true}});
  EXPECT_TRUE(eventually([&] { return history() == "Completed 4.9.0, Completed 4.6.23"; })) << why();
  EXPECT_TRUE(text(newest(), "acceptedRisks").contains("Forced through blocking failures: ")) << why();
  EXPECT_EQ(value("a"), "9");
}

TEST_F(Updating, WaitsForComponentsBeforeAnotherMinorVersion) {
  add_release("4.6.23", {{"0000_10_a_1.yaml", map_yaml("a", "1")}});
  add_release("4.6.24", {{"0000_10_a_1.yaml", map_yaml("a", "24")}});
  add_release("4.7.4", {{"0000_10_a_1.yaml", map_yaml("a", "7")}});
  begin();
  const auto operators = openshift::ClusterOperator::resource.group_version_resource();
  const auto say = [&](const std::string& status) {
    auto etcd = client_->get(operators, {"", "etcd"});
    if (!etcd) {
      auto made = k8s::make<openshift::ClusterOperator>("etcd");
      made.object("spec");
      etcd = client_->create(operators, made);
    }
    ASSERT_TRUE(etcd) << etcd.error().message;
    etcd->set("status.conditions", json::Array{json::Object{{"type", "Upgradeable"},
                                                            {"status", status},
                                                            {"reason", "Small"},
                                                            {"message", "one member is missing"},
                                                            {"lastTransitionTime", "2026-01-01T00:00:00Z"}}});
    ASSERT_TRUE(client_->replace(operators, *etcd, "status"));
  };
  say("False");
  EXPECT_TRUE(eventually([&] { return said("Upgradeable") != "none"; })) << why();
  EXPECT_EQ(said("Upgradeable"),
            "False Small: Cluster operator etcd should not be upgraded between minor versions: one member is "
            "missing");
  ask_for({{"version", "4.7.4"}, {"image", releases_.image("4.7.4")}});
  EXPECT_TRUE(eventually([&] { return said("ReleaseAccepted").starts_with("False PreconditionChecks"); }))
      << why();
  EXPECT_TRUE(said("ReleaseAccepted").contains("ClusterVersionUpgradeable")) << why();
  ask_for({{"version", "4.6.24"}});
  EXPECT_TRUE(eventually([&] { return history() == "Completed 4.6.24, Completed 4.6.23"; })) << why();
  say("True");
  EXPECT_TRUE(eventually([&] { return said("Upgradeable") == "none"; })) << why();
  ask_for({{"version", "4.7.4"}, {"image", releases_.image("4.7.4")}});
  EXPECT_TRUE(eventually([&] { return history().starts_with("Completed 4.7.4, "); })) << why();
}

TEST_F(Updating, TellsWhichComponentsTakeLongerThanExpected) {
  const auto operator_yaml = [](const std::string& name) {
    return "apiVersion: config.openshift.io/v1\nkind: ClusterOperator\nmetadata:\n  name: " + name +
           "\nspec: {}\nstatus:\n  versions:\n  - name: operator\n    version: 4.6.24\n";
  };
  add_release("4.6.23", {{"0000_10_a_1.yaml", map_yaml("a", "1")}});
  add_release("4.6.24", {{"0000_20_etcd_1.yaml", operator_yaml("etcd")},
                         {"0000_20_machine-config_1.yaml", operator_yaml("machine-config")},
                         {"0000_20_network_1.yaml", operator_yaml("network")}});
  begin();
  const auto operators = openshift::ClusterOperator::resource.group_version_resource();
  const auto report = [&](const std::string& name, const std::string& version) {
    auto one = client_->get(operators, {"", name});
    if (!one) {
      auto made = k8s::make<openshift::ClusterOperator>(name);
      made.object("spec");
      one = client_->create(operators, made);
    }
    ASSERT_TRUE(one) << one.error().message;
    const auto condition = [](const char* type, const char* status) {
      return json::Object{{"type", type},
                          {"status", status},
                          {"reason", "AsExpected"},
                          {"message", ""},
                          {"lastTransitionTime", "2026-01-01T00:00:00Z"}};
    };
    json::Array conditions, versions;
    conditions.push_back(condition("Available", "True"));
    conditions.push_back(condition("Degraded", "False"));
    versions.push_back(json::Object{{"name", "operator"}, {"version", version}});
    one->set("status.conditions", std::move(conditions));
    one->set("status.versions", std::move(versions));
    ASSERT_TRUE(client_->replace(operators, *one, "status"));
  };
  for (const char* name : {"etcd", "machine-config", "network"}) report(name, "4.6.23");
  ask_for({{"version", "4.6.24"}});
  const auto waits_for = [&](const std::string& text) {
    return said("Progressing").ends_with("waiting on " + text);
  };
  EXPECT_TRUE(eventually([&] { return waits_for("etcd, machine-config, network"); })) << why();
  EXPECT_EQ(said("Failing"), "False : ");
  set_clock(31 * 60);
  EXPECT_TRUE(eventually([&] {
    return waits_for("etcd, network over 30 minutes which is longer than expected");
  })) << why();
  EXPECT_EQ(said("Failing"),
            "Unknown SlowClusterOperator: waiting on etcd, network over 30 minutes which is longer than "
            "expected");
  report("network", "4.6.24");
  set_clock(91 * 60);
  EXPECT_TRUE(eventually([&] {
    return waits_for("etcd over 30 minutes and machine-config over 90 minutes which is longer than expected");
  })) << why();
  for (const char* name : {"etcd", "machine-config"}) report(name, "4.6.24");
  EXPECT_TRUE(eventually([&] { return history() == "Completed 4.6.24, Completed 4.6.23"; })) << why();
  EXPECT_EQ(said("Failing"), "False : ");
}

TEST_F(Updating, TellsOfAReleaseThatWasNotOnOfferWhatTheServiceKnows) {
  add_release("4.6.23", {{"0000_10_a_1.yaml", map_yaml("a", "1")}});
  add_release("4.6.24", {{"0000_10_a_1.yaml", map_yaml("a", "24")}});
  add_release("4.6.25", {{"0000_10_a_1.yaml", map_yaml("a", "25")}});
  const auto node = [&](const std::string& version) {
    return json::Object{
        {"version", version},
        {"payload", releases_.image(version)},
        {"metadata", json::Object{{"url", "https://example.com/of-the-service"},
                                  {"io.openshift.upgrades.graph.release.channels", "fast-4.6,stable-4.6"}}}};
  };
  begin();
  // 4.6.24 is known, and no update to it; 4.6.25 is not known.
  stubs_.begin(
      json::Object{{"cincinnati",
                    json::Object{{"body", json::Object{{"nodes", json::Array{node("4.6.23"), node("4.6.24")}},
                                                       {"edges", json::Array()}}}}},
                   {"promql", json::Object()}});
  set_clock(300);
  EXPECT_TRUE(eventually([&] { return member(status(), "availableUpdates").is_null(); })) << why();
  ask_for({{"version", "4.6.24"}, {"image", releases_.image("4.6.24")}});
  ASSERT_TRUE(eventually([&] { return history() == "Completed 4.6.24, Completed 4.6.23"; })) << why();
  ASSERT_TRUE(eventually([&] { return member(member(status(), "desired"), "channels").is_array(); }))
      << why();
  EXPECT_EQ(json::to_text(member(member(status(), "desired"), "channels")), R"(["fast-4.6","stable-4.6"])");
  // The release's own, once it has been read.
  EXPECT_TRUE(eventually([&] {
    return text(member(status(), "desired"), "url") == "https://example.com/4.6.24";
  })) << why();
  ask_for({{"version", "4.6.25"}, {"image", releases_.image("4.6.25")}});
  ASSERT_TRUE(eventually([&] { return said("RetrievedUpdates").contains("VersionNotFound"); })) << why();
  EXPECT_TRUE(eventually([&] { return history().starts_with("Completed 4.6.25, "); })) << why();
  EXPECT_EQ(text(member(status(), "desired"), "version"), "4.6.25");
  EXPECT_EQ(text(member(status(), "desired"), "image"), releases_.image("4.6.25"));
  EXPECT_EQ(member(member(status(), "desired"), "channels"), json::Value());
}

TEST_F(Updating, IsCancelledAndChangesItsTargetOnTheWay) {
  add_release("4.6.23", {{"0000_10_a_1.yaml", map_yaml("a", "1")}});
  add_release("4.6.24", {{"0000_10_a_1.yaml", map_yaml("a", "24")}, {"0000_20_b_1.yaml", deployment}});
  add_release("4.6.25", {{"0000_10_a_1.yaml", map_yaml("a", "25")}});
  begin();
  ask_for({{"version", "4.6.24"}});
  ASSERT_TRUE(eventually([&] { return said("Progressing").contains("waiting on deployment"); })) << why();
  write_spec(spec());
  ASSERT_TRUE(eventually([&] { return history() == "Completed 4.6.23, Partial 4.6.24, Completed 4.6.23"; }))
      << why();
  EXPECT_EQ(value("a"), "1");
  ask_for({{"version", "4.6.24"}});
  ASSERT_TRUE(eventually([&] { return said("Progressing").contains("waiting on deployment"); })) << why();
  ask_for({{"version", "4.6.25"}, {"image", releases_.image("4.6.25")}});
  ASSERT_TRUE(eventually([&] { return history().starts_with("Completed 4.6.25, Partial 4.6.24, "); }))
      << why();
  EXPECT_EQ(value("a"), "25");
}

TEST_F(Updating, EndsAtItsTargetWhereverItIsKilled) {
  // Each is killed where one of these holds for the first time.
  const std::vector<std::function<bool(const std::string& version)>> points{
      [&](const std::string& version) { return releases_.pulled(version); },
      [&](const std::string&) { return said("ReleaseAccepted").starts_with("Unknown RetrievePayload"); },
      [&](const std::string& version) { return history().starts_with("Partial " + version); },
      [&](const std::string& version) { return value("a") == version; },
      [&](const std::string& version) { return value("last") == version; },
      [&](const std::string& version) { return history().starts_with("Completed " + version); }};
  const auto add = [&](const std::string& version) {
    add_release(version, {{"0000_10_a_1.yaml", map_yaml("a", version)},
                          {"0000_20_b_1.yaml", map_yaml("last", version)}});
  };
  add_release("4.6.23", {{"0000_10_a_1.yaml", map_yaml("a", "1")}});
  for (std::size_t i = 0; i < points.size(); ++i) add("4.6." + std::to_string(24 + i));
  begin();
  std::string expected = "Completed 4.6.23";
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::string version = "4.6." + std::to_string(24 + i);
    SCOPED_TRACE(version);
    releases_.forget_requests();
    ask_for({{"version", version}, {"image", releases_.image(version)}});
    // Some of it is soon over.
    EXPECT_TRUE(eventually([&] {
      return points[i](version) || history().starts_with("Completed " + version);
    })) << why();
    process_->end(SIGKILL);
    const std::string before = history();
    EXPECT_TRUE(before == expected || before == "Partial " + version + ", " + expected ||
                before == "Completed " + version + ", " + expected)
        << before;
    start_operator();
    expected = "Completed " + version + ", " + expected;
    ASSERT_TRUE(eventually([&] { return history() == expected; })) << why();
    EXPECT_EQ(value("a"), version);
    EXPECT_EQ(value("last"), version);
  }
}

TEST_F(Updating, KeepsTheListsThroughARestartWhileTheServiceIsGone) {
  const auto available = [&] {
    const json::Value now = status();
    const json::Value& list = member(now, "availableUpdates");
    return list.is_array() ? list.as_array().size() : 0;
  };
  add_release("4.6.23", {{"0000_10_a_1.yaml", map_yaml("a", "1")}});
  add_release("4.6.24", {{"0000_10_a_1.yaml", map_yaml("a", "2")}});
  begin();
  ASSERT_TRUE(eventually([&] { return available() == 1; })) << why();
  process_->end(SIGKILL);
  stubs_.begin(json::Object{{"cincinnati", json::Object{{"status", 503}, {"body", json::Object()}}},
                            {"promql", json::Object()}});
  start_operator();
  ASSERT_TRUE(eventually([&] { return said("RetrievedUpdates").contains("ResponseFailed"); })) << why();
  EXPECT_EQ(available(), 1U);
  EXPECT_TRUE(said("fairway.dev/StaleUpdates").starts_with("True UpdateServiceUnavailable")) << why();
  set_clock(25 * 3600);
  EXPECT_TRUE(eventually([&] { return available() == 0; })) << why();
}

}  // namespace
}  // namespace fairway::operators::testing
