// SPDX-License-Identifier: Apache-2.0

#include "e2e/version_skew.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <initializer_list>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "k8s/documents.h"
#include "kube/client/kubeconfig.h"
#include "openshift/cluster_version.h"
#include "support/eventually.h"
#include "support/fake_service.h"
#include "support/process.h"
#include "support/temp_directory.h"

namespace fairway::testing {
namespace {

const k8s::GroupVersionResource kind = openshift::ClusterVersion::resource.group_version_resource();
const k8s::Key key{"", std::string(openshift::ClusterVersion::object_name)};
constexpr std::string_view cluster_id = "01234567-0123-4123-8123-0123456789ab";

/// Returns the value, or throws, because a case makes no sense if its preparation fails.
template <class T>
T must(kube::ApiResult<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return *std::move(result);
}

json::Value parsed(std::string_view text) {
  return json::parse(text).value();
}

constexpr std::string_view old_status = R"({"observedGeneration": 1, "versionHash": "abc",
  "desired": {"version": "4.5.16", "image": "example.com/r@sha256:1", "force": false},
  "history": [{"state": "Completed", "version": "4.5.16", "image": "example.com/r@sha256:1", "verified": true,
    "startedTime": "2026-01-01T00:00:00Z", "completionTime": "2026-01-01T01:00:00Z"}],
  "availableUpdates": [{"version": "4.5.18", "image": "example.com/r@sha256:2", "force": false}],
  "conditions": [
    {"type": "Available", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"},
    {"type": "Failing", "status": "False", "lastTransitionTime": "2026-01-01T00:00:00Z"},
    {"type": "Progressing", "status": "False", "message": "Cluster version is 4.5.16",
      "lastTransitionTime": "2026-01-01T00:00:00Z"},
    {"type": "RetrievedUpdates", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}]})";

constexpr std::string_view new_status = R"({"observedGeneration": 1, "versionHash": "abc",
  "desired": {"version": "4.6.23", "image": "example.com/r@sha256:1", "url": "https://example.com/4.6.23",
    "channels": ["stable-4.6"]},
  "history": [{"state": "Completed", "version": "4.6.23", "image": "example.com/r@sha256:1", "verified": true,
    "startedTime": "2026-01-01T00:00:00Z", "completionTime": "2026-01-01T01:00:00Z",
    "acceptedRisks": "Forced."}],
  "availableUpdates": null,
  "conditionalUpdates": [{"release": {"version": "4.7.4", "image": "example.com/r@sha256:2"},
    "risks": [{"name": "SlowNodes", "url": "https://example.com/slow", "message": "Slow.",
      "matchingRules": [{"type": "Always"}]}],
    "conditions": [{"type": "Recommended", "status": "False", "reason": "SlowNodes", "message": "Slow.",
      "lastTransitionTime": "2026-01-01T00:00:00Z"}]}],
  "conditions": [{"type": "Failing", "status": "False", "lastTransitionTime": "2026-01-01T00:00:00Z"}]})";

/// Returns an object as a client that knows only these members keeps it.
json::Object with_only(const json::Value& value, std::initializer_list<std::string_view> members) {
  json::Object out;
  for (const std::string_view member : members)
    if (const json::Value* held = value.as_object().if_contains(member)) out[member] = *held;
  return out;
}

void a_new_client_shows_an_old_cluster_version(SkewCluster& cluster) {
  cluster.make_old_cluster_version();
  const auto shown = cluster.adm_upgrade("");
  EXPECT_EQ(shown.exit_code, 0);
  EXPECT_EQ(shown.out,
            "Cluster version is 4.5.16\n\n"
            "Upstream is unset, so the cluster will use an appropriate default.\nChannel: stable-4.5\n\n"
            "Recommended updates:\n\n  VERSION     IMAGE\n  4.5.18      example.com/r@sha256:2\n");
  EXPECT_EQ(shown.err, "");
  for (const char* words : {"--include-not-recommended -o wide", "-o json", "recommend", "status"}) {
    const auto ran = cluster.adm_upgrade(words);
    EXPECT_EQ(ran.exit_code, 0) << words << ran.err;
    EXPECT_EQ(ran.err, "") << words;
  }
  for (const char* version : {"4.5.18", "4.6.1"}) {
    const auto why = cluster.adm_upgrade(std::string("why ") + version);
    EXPECT_EQ(why.exit_code, 0) << why.err;
    EXPECT_EQ(why.err, "warning: The update service does not say why: spec.upstream is unset\n") << version;
  }
}

void a_new_client_asks_an_old_cluster_for_an_update(SkewCluster& cluster) {
  cluster.make_old_cluster_version();
  const auto asked = cluster.adm_upgrade("--to 4.5.18");
  EXPECT_EQ(asked.exit_code, 0) << asked.err;
  EXPECT_EQ(asked.out, "Requested update to 4.5.18\n");
  const json::Object wanted{{"version", "4.5.18"}, {"image", "example.com/r@sha256:2"}, {"force", false}};
  EXPECT_EQ(cluster.read().at("spec").at("desiredUpdate"), json::Value(wanted));
  const auto channel = cluster.adm_upgrade("channel --allow-explicit-channel fast-4.5");
  EXPECT_EQ(channel.exit_code, 0) << channel.err;
  EXPECT_EQ(cluster.read().at("spec").at("channel"), "fast-4.5");
  const auto cleared = cluster.adm_upgrade("--clear");
  EXPECT_EQ(cleared.exit_code, 0) << cleared.err;
  EXPECT_FALSE(cluster.read().at("spec").as_object().contains("desiredUpdate"));
}

void a_new_client_says_what_an_old_cluster_does_not_keep(SkewCluster& cluster) {
  cluster.make_old_cluster_version();
  const auto accepted = cluster.adm_upgrade("accept SlowNodes");
  EXPECT_EQ(accepted.exit_code, 1);
  EXPECT_EQ(accepted.out, "");
  EXPECT_TRUE(
      accepted.err.starts_with("Warning: unknown field \"spec.desiredUpdate.acceptRisks\"\n"
                               "error: unable to accept risks: the ClusterVersion of this cluster has no "
                               "spec.desiredUpdate.acceptRisks"))
      << accepted.err;
  const auto multi = cluster.adm_upgrade("--to-multi-arch");
  EXPECT_EQ(multi.exit_code, 1);
  EXPECT_EQ(multi.out, "");
  EXPECT_TRUE(
      multi.err.starts_with("Warning: unknown field \"spec.desiredUpdate.architecture\"\n"
                            "error: Unable to upgrade: the ClusterVersion of this cluster has no "
                            "spec.desiredUpdate.architecture"))
      << multi.err;
}

void the_whole_object_of_an_old_client_leaves_the_status(SkewCluster& cluster) {
  cluster.make_new_cluster_version();
  const json::Object before = cluster.read();
  json::Object written = with_only(before, {"apiVersion", "kind", "metadata"});
  written["spec"] = with_only(before.at("spec"), {"clusterID", "channel", "upstream", "overrides"});
  written["spec"].as_object()["desiredUpdate"] =
      json::Object{{"version", "4.7.4"}, {"image", "example.com/r@sha256:2"}, {"force", false}};
  json::Object status = with_only(before.at("status"), {"observedGeneration", "versionHash", "conditions"});
  status["desired"] =
      json::Object{{"version", "4.6.23"}, {"image", "example.com/r@sha256:1"}, {"force", false}};
  status["availableUpdates"] = nullptr;
  written["status"] = std::move(status);
  const auto replaced = cluster.client().replace(kind, k8s::Dynamic(std::move(written)));
  ASSERT_TRUE(replaced) << replaced.error().message;
  const json::Object after = cluster.read();
  EXPECT_EQ(after.at("status"), before.at("status")) << "the status is the operator's alone";
  EXPECT_EQ(after.at("spec").at("desiredUpdate").at("version"), "4.7.4");
}

void the_patch_of_an_old_client_leaves_what_it_does_not_know(SkewCluster& cluster) {
  cluster.make_new_cluster_version();
  const json::Value patch = parsed(
      R"({"spec": {"desiredUpdate": {"version": "4.7.4", "image": "example.com/r@sha256:2", "force": false}}})");
  const auto patched = cluster.client().patch(kind, key, kube::PatchType::merge, patch);
  ASSERT_TRUE(patched) << patched.error().message;
  const json::Value desired = cluster.read().at("spec").at("desiredUpdate");
  EXPECT_EQ(desired.at("version"), "4.7.4");
  EXPECT_EQ(json::to_text(desired.at("acceptRisks")), R"([{"name":"SlowNodes"}])");
  const auto shown = cluster.adm_upgrade("--include-not-recommended");
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_TRUE(shown.out.contains("  Version: 4.7.4\n")) << shown.out;
}

/// An operator that asks a service, and a Prometheus where no query matches.
class AskingOperator {
 public:
  /// The service answers requests for updates with `graph`, and has no other page.
  AskingOperator(const SkewCluster& cluster, const std::string& graph, const std::string& release)
      : service_([graph](const http::Request& request) {
          if (!request.path.ends_with("/graph")) return http::Response::text(404, "404 page not found\n");
          return http::Response::json(200, graph);
        }),
        prometheus_([](const http::Request&) {
          return http::Response::json(200, R"({"status":"success","data":{"resultType":"vector","result":[
              {"metric":{},"value":[1600000000,"0"]}]}})");
        }) {
    // The registries of examples are nowhere, and nobody is asked for them.
    setenv("https_proxy", "http://127.0.0.1:1", 1);
    setenv("no_proxy", "127.0.0.1", 1);
    process_ = std::make_unique<Process>(
        std::vector<std::string>{FAIRWAY_BINARY, "operator", "--kubeconfig", cluster.kubeconfig(),
                                 "--leader-elect=false", "--status-listen=127.0.0.1:0", "--data",
                                 (folder_ / "data").string(), "--risk-query-interval=0s", "--upstream",
                                 service_.url("/api/upgrades_info/v1/graph"), "--prometheus",
                                 prometheus_.url(""), "--release", release},
        (folder_ / "log").string());
    unsetenv("https_proxy");
    unsetenv("no_proxy");
  }
  std::string log() const { return read_file(folder_ / "log").value_or(""); }

 private:
  const TempDirectory folder_;
  FakeService service_, prometheus_;
  std::unique_ptr<Process> process_;
};

k8s::Dynamic object_of(const SkewCluster& cluster) {
  return k8s::Dynamic(cluster.read());
}

std::string versions(const k8s::View& object, std::string_view list, std::string_view version) {
  std::string found;
  for (const k8s::View& one : object.items(list)) found += std::string(one.text(version)) + " ";
  return found;
}

std::string reason(const k8s::View& object, std::string_view type) {
  const auto condition = k8s::find_condition(object, type);
  return condition ? std::string(k8s::to_string(condition->status())) + " " + std::string(condition->reason())
                   : "";
}

/// A graph of nodes and edges alone, whose nodes have no channels.
constexpr std::string_view old_graph = R"({"nodes": [
    {"version": "4.6.23", "payload": "example.com/r@sha256:1", "metadata": {}},
    {"version": "4.6.24", "payload": "example.com/r@sha256:2", "metadata": {"description": ""}},
    {"version": "4.7.4", "payload": "example.com/r@sha256:3"}],
  "edges": [[0, 1], [0, 2]]})";

void an_old_service_is_asked(SkewCluster& cluster) {
  cluster.make_new_cluster_version();
  const AskingOperator asking(cluster, std::string(old_graph), "4.6.23=example.com/r@sha256:1");
  ASSERT_TRUE(eventually([&] {
    return versions(object_of(cluster), "status.availableUpdates", "version") == "4.7.4 4.6.24 ";
  })) << json::to_text(json::Value(cluster.read()))
      << asking.log();
  EXPECT_TRUE(eventually([&] {
    return reason(object_of(cluster), "RetrievedChannels") == "False ChannelsNotServed";
  })) << json::to_text(json::Value(cluster.read()));
  const k8s::Dynamic object = object_of(cluster);
  EXPECT_FALSE(object.has("status.conditionalUpdates"));
  EXPECT_EQ(reason(object, "RetrievedUpdates"), "True ");
  EXPECT_EQ(reason(object, "fairway.dev/IncompleteUpdates"), "");
  const auto shown = cluster.adm_upgrade("");
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_TRUE(shown.out.contains("Recommended updates:\n\n  VERSION     IMAGE\n  4.7.4 ")) << shown.out;
}

/// Members, properties and types of rules that nobody knows yet.
constexpr std::string_view new_graph = R"({"version": 1, "signature": {"by": "example.com"}, "nodes": [
    {"version": "4.6.23", "payload": "example.com/r@sha256:1", "metadata": {}, "arch": ["new"]},
    {"version": "4.7.4", "payload": "example.com/r@sha256:2", "metadata": {"x": "y"}, "support": {"until": 1}},
    {"version": "4.7.5", "payload": "example.com/r@sha256:3", "metadata": {}},
    {"version": "4.7.6", "payload": "example.com/r@sha256:4", "metadata": {}}],
  "edges": [],
  "conditionalEdges": [
    {"edges": [{"from": "4.6.23", "to": "4.7.4", "since": "2030"}], "severity": "low",
     "risks": [{"url": "https://example.com/a", "name": "KnownBeside", "message": "A.", "fixedIn": "4.7.9",
       "matchingRules": [{"type": "Oracle", "oracle": {"ask": "me"}},
                         {"type": "PromQL", "promql": {"promql": "q", "hint": 1}}]}]},
    {"edges": [{"from": "4.6.23", "to": "4.7.5"}],
     "risks": [{"url": "https://example.com/b", "name": "NoneKnown", "message": "B.",
       "matchingRules": [{"type": "Oracle", "oracle": {"ask": "me"}}]}]},
    {"edges": [{"from": "4.6.23", "to": "4.7.6"}],
     "risks": [{"url": "https://example.com/b", "name": "NoneKnown", "message": "B.",
       "matchingRules": [{"type": "Oracle", "oracle": {"ask": "me"}}]},
               {"url": "https://example.com/c", "name": "Known", "message": "C.",
       "matchingRules": [{"type": "PromQL", "promql": {"promql": "q"}}]}]}],
  "policies": [{"type": "Window"}]})";

void a_new_service_is_asked(SkewCluster& cluster) {
  cluster.make_new_cluster_version();
  const AskingOperator asking(cluster, std::string(new_graph), "4.6.23=example.com/r@sha256:1");
  ASSERT_TRUE(eventually([&] {
    return versions(object_of(cluster), "status.availableUpdates", "version") == "4.7.4 ";
  })) << json::to_text(json::Value(cluster.read()))
      << asking.log();
  const k8s::Dynamic object = object_of(cluster);
  EXPECT_EQ(versions(object, "status.conditionalUpdates", "release.version"), "4.7.4 ");
  const auto updates = object.items("status.conditionalUpdates");
  ASSERT_EQ(updates.size(), 1U);
  const k8s::View& known = updates[0];
  EXPECT_EQ(k8s::find_condition(known, "Recommended", "conditions")->status(), k8s::ConditionStatus::is_true);
  EXPECT_EQ(versions(known.items("risks").at(0), "matchingRules", "type"), "PromQL ");
  const auto left_out = k8s::find_condition(object, "fairway.dev/IncompleteUpdates");
  ASSERT_TRUE(left_out);
  EXPECT_TRUE(left_out->message().contains("4.7.5")) << left_out->message();
  // An update with a risk that cannot be listed is not listed with the others alone.
  EXPECT_TRUE(left_out->message().contains("4.7.6")) << left_out->message();
  EXPECT_TRUE(left_out->message().contains("NoneKnown")) << left_out->message();
  const auto refused = cluster.adm_upgrade("--to 4.7.5");
  EXPECT_EQ(refused.exit_code, 1) << refused.out;
}

/// The cluster was installed with the old definition: the operator brings its own.
void a_new_operator_comes_to_an_old_cluster_version(SkewCluster& cluster) {
  cluster.make_old_cluster_version();
  const AskingOperator asking(cluster, R"({"nodes": [
      {"version": "4.5.16", "payload": "example.com/r@sha256:1", "metadata": {}},
      {"version": "4.5.20", "payload": "example.com/r@sha256:2",
       "metadata": {"url": "https://example.com/4.5.20"}}],
    "edges": [],
    "conditionalEdges": [{"edges": [{"from": "4.5.16", "to": "4.5.20"}], "risks": [
      {"url": "https://example.com/a", "name": "A", "message": "A.", "matchingRules": [{"type": "Always"}]}]}]})",
                              "4.5.16=example.com/r@sha256:1");
  ASSERT_TRUE(eventually([&] {
    return versions(object_of(cluster), "status.conditionalUpdates", "release.version") == "4.5.20 ";
  })) << json::to_text(json::Value(cluster.read()))
      << asking.log();
  const k8s::Dynamic object = object_of(cluster);
  EXPECT_EQ(object.text("spec.clusterID"), cluster_id);
  EXPECT_EQ(object.text("spec.channel"), "stable-4.5");
  EXPECT_FALSE(object.has("status.availableUpdates"));
  EXPECT_EQ(versions(object, "status.history", "version"), "4.5.16 ");
  EXPECT_EQ(versions(object, "status.history", "completionTime"), "2026-01-01T01:00:00Z ");
  const auto accepted = cluster.adm_upgrade("accept A");
  EXPECT_EQ(accepted.exit_code, 0) << accepted.err;
  EXPECT_EQ(versions(object_of(cluster), "spec.desiredUpdate.acceptRisks", "name"), "A ");
}

}  // namespace

SkewCluster::SkewCluster(std::string kubeconfig) : kubeconfig_(std::move(kubeconfig)) {
  auto config = kube::load_client_config({.file = kubeconfig_});
  if (!config) throw std::runtime_error(config.error().message);
  auto client = kube::Client::create(*std::move(config));
  if (!client) throw std::runtime_error(client.error().message);
  client_ = *std::move(client);
}

void SkewCluster::make_cluster_version(const std::string& definition, const json::Object& spec,
                                       const json::Value& status) {
  const auto text = read_file(FAIRWAY_SOURCE_DIR "/" + definition);
  if (!text) throw std::runtime_error(text.error().message);
  const auto documents = k8s::read_documents(*text);
  if (!documents) throw std::runtime_error(documents.error().message);
  for (const k8s::Document& document : *documents) {
    must(client_->create({"apiextensions.k8s.io", "v1", "customresourcedefinitions"},
                         k8s::Dynamic(document.value.as_object())));
  }
  auto object = k8s::make<openshift::ClusterVersion>(openshift::ClusterVersion::object_name);
  object.set("spec", spec);
  auto created = client_->create(kind, object);
  // The kind is not served at once.
  [[maybe_unused]] const bool is_served = eventually([&] {
    if (!created) created = client_->create(kind, object);
    return created.has_value();
  });
  json::Object whole = must(std::move(created)).json();
  // As a whole: null in a merge patch would take the list away.
  whole["status"] = status;
  must(client_->replace(kind, k8s::Dynamic(std::move(whole)), "status"));
}

void SkewCluster::make_old_cluster_version() {
  make_cluster_version("tests/e2e/data/clusterversions-4.5.yaml",
                       {{"clusterID", cluster_id}, {"channel", "stable-4.5"}}, parsed(old_status));
}

void SkewCluster::make_new_cluster_version() {
  const json::Value accepted = parsed(R"({"acceptRisks": [{"name": "SlowNodes"}]})");
  make_cluster_version("src/operators/definitions/clusterversions.yaml",
                       {{"clusterID", cluster_id}, {"channel", "stable-4.6"}, {"desiredUpdate", accepted}},
                       parsed(new_status));
}

json::Object SkewCluster::read() const {
  auto held = client_->get(kind, key);
  return held ? held->json() : json::Object();
}

SkewCluster::Ran SkewCluster::adm_upgrade(const std::string& words) const {
  const TempDirectory folder;
  const auto out = folder / "out", err = folder / "err";
  // Conformance runs say in FAIRWAY_SERVER which server they want; here it would be --server.
  const std::string line = "env -u FAIRWAY_SERVER HOME='" + folder.text() +
                           "' '" FAIRWAY_BINARY "' adm upgrade " + words + " --kubeconfig '" + kubeconfig_ +
                           "' > '" + out.string() + "' 2> '" + err.string() + "'";
  const int status = std::system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(out).value_or(""),
          read_file(err).value_or("")};
}

const std::vector<SkewCase>& skew_cases() {
  static const std::vector<SkewCase> cases{
      {"ANewClientShowsAnOldClusterVersion", a_new_client_shows_an_old_cluster_version},
      {"ANewClientAsksAnOldClusterForAnUpdate", a_new_client_asks_an_old_cluster_for_an_update},
      {"ANewClientSaysWhatAnOldClusterDoesNotKeep", a_new_client_says_what_an_old_cluster_does_not_keep},
      {"TheWholeObjectOfAnOldClientLeavesTheStatus", the_whole_object_of_an_old_client_leaves_the_status},
      {"ThePatchOfAnOldClientLeavesWhatItDoesNotKnow",
       the_patch_of_an_old_client_leaves_what_it_does_not_know},
      {"AnOldServiceIsAsked", an_old_service_is_asked},
      {"ANewServiceIsAsked", a_new_service_is_asked},
      {"ANewOperatorComesToAnOldClusterVersion", a_new_operator_comes_to_an_old_cluster_version},
  };
  return cases;
}

}  // namespace fairway::testing
