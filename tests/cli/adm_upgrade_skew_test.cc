// Clients and clusters of different age: a new client and a ClusterVersion of 4.5, which has none of the
// fields that came later, and an old client that knows only those and today's ClusterVersion.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "k8s/documents.h"
#include "k8s/patch/merge_patch.h"
#include "kube/client/client.h"
#include "kube/client/kubeconfig.h"
#include "openshift/cluster_version.h"
#include "support/eventually.h"
#include "support/loopback_server.h"
#include "support/process.h"
#include "support/temp_directory.h"

namespace fairway {
namespace {

constexpr std::string_view old_cluster = R"({"apiVersion": "config.openshift.io/v1", "kind": "ClusterVersion",
  "metadata": {"name": "version"}, "spec": {"clusterID": "01234567-0123-4123-8123-0123456789ab",
  "channel": "stable-4.5"}, "status": {"observedGeneration": 1, "versionHash": "abc",
  "desired": {"version": "4.5.16", "image": "example.com/r@sha256:1", "force": false},
  "history": [{"state": "Completed", "version": "4.5.16", "image": "example.com/r@sha256:1", "verified": true}],
  "availableUpdates": [{"version": "4.5.18", "image": "example.com/r@sha256:2", "force": false}],
  "conditions": [{"type": "Available", "status": "True"}, {"type": "Failing", "status": "False"},
    {"type": "Progressing", "status": "False", "message": "Cluster version is 4.5.16"},
    {"type": "RetrievedUpdates", "status": "True"}]}})";

/// An API server of 4.5: it drops what its ClusterVersion does not have.
class OldServer {
 public:
  OldServer()
      : object_(json::parse(old_cluster).value()),
        server_(testing::serve_on_loopback(
            "GET PATCH", [this](const http::Request& asked) { return answer(asked); }, {})) {}
  std::string url() const { return "http://127.0.0.1:" + std::to_string(server_->port()); }
  json::Value spec() const {
    const std::lock_guard lock(mutex_);
    return object_.at("spec");
  }

 private:
  http::Response answer(const http::Request& asked) {
    const std::lock_guard lock(mutex_);
    if (asked.path != "/apis/config.openshift.io/v1/clusterversions/version")
      return http::Response::json(404, R"({"kind": "Status", "apiVersion": "v1", "status": "Failure",
          "message": "not found", "reason": "NotFound", "code": 404})");
    if (asked.method == "PATCH") {
      object_ = k8s::apply_merge_patch(object_, json::parse(asked.body).value()).value();
      json::Object& spec = object_.at("spec").as_object();
      if (json::Value* desired = spec.if_contains("desiredUpdate");
          desired != nullptr && desired->is_object())
        for (const char* unknown : {"architecture", "acceptRisks"}) desired->as_object().erase(unknown);
    }
    return http::Response::json(200, json::to_text(object_));
  }

  mutable std::mutex mutex_;
  json::Value object_;
  std::unique_ptr<http::Server> server_;
};

struct Ran {
  int exit_code = -1;
  std::string out, err;
};

Ran run(const std::string& words) {
  const testing::TempDirectory folder;
  const auto out = folder / "out", err = folder / "err";
  const std::string line = "HOME='" + folder.text() + "' KUBECONFIG= '" FAIRWAY_BINARY "' adm upgrade " +
                           words + " > '" + out.string() + "' 2> '" + err.string() + "'";
  const int status = std::system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(out).value_or(""),
          read_file(err).value_or("")};
}

TEST(AdmUpgradeSkew, ANewClientShowsAnOldClusterVersion) {
  const OldServer server;
  const std::string flags = " --server " + server.url();
  const Ran shown = run(flags);
  EXPECT_EQ(shown.exit_code, 0);
  EXPECT_EQ(shown.out,
            "Cluster version is 4.5.16\n\n"
            "Upstream is unset, so the cluster will use an appropriate default.\nChannel: stable-4.5\n\n"
            "Recommended updates:\n\n  VERSION     IMAGE\n  4.5.18      example.com/r@sha256:2\n");
  EXPECT_EQ(shown.err, "");
  EXPECT_EQ(run("--include-not-recommended -o wide" + flags).exit_code, 0);
  for (const std::string_view words : {"-o json", "recommend", "status", "why 4.5.18", "why 4.6.1"})
    EXPECT_EQ(run(std::string(words) + flags).exit_code, 0) << words;
}

TEST(AdmUpgradeSkew, ANewClientAsksAnOldClusterForAnUpdate) {
  const OldServer server;
  const Ran asked = run("--to 4.5.18 --server " + server.url());
  EXPECT_EQ(asked.exit_code, 0) << asked.err;
  EXPECT_EQ(asked.out, "Requested update to 4.5.18\n");
  const json::Object wanted{{"version", "4.5.18"}, {"image", "example.com/r@sha256:2"}, {"force", false}};
  EXPECT_EQ(server.spec().at("desiredUpdate"), json::Value(wanted));
}

TEST(AdmUpgradeSkew, ANewClientSaysWhatAnOldClusterDoesNotKeep) {
  const OldServer server;
  const std::string flags = " --server " + server.url();
  const Ran accepted = run("accept SlowNodes" + flags);
  EXPECT_EQ(accepted.exit_code, 1);
  EXPECT_EQ(accepted.out, "");
  EXPECT_TRUE(
      accepted.err.starts_with("error: unable to accept risks: the ClusterVersion of this cluster has no "
                               "spec.desiredUpdate.acceptRisks"))
      << accepted.err;
  const Ran multi = run("--to-multi-arch" + flags);
  EXPECT_EQ(multi.exit_code, 1);
  EXPECT_EQ(multi.out, "");
  EXPECT_TRUE(
      multi.err.starts_with("error: Unable to upgrade: the ClusterVersion of this cluster has no "
                            "spec.desiredUpdate.architecture"))
      << multi.err;
}

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

/// The embedded API server with today's definition, and a ClusterVersion with everything in it.
class AdmUpgradeSkewOfOldClient : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string file = (folder_ / "kubeconfig").string();
    server_ = std::make_unique<testing::Process>(
        std::vector<std::string>{FAIRWAY_BINARY, "apiserver", "--memory", "--listen", "127.0.0.1:0",
                                 "--kubeconfig", file, "--apply",
                                 FAIRWAY_SOURCE_DIR "/src/operator/definitions/clusterversions.yaml"},
        (folder_ / "log").string());
    k8s::Dynamic object(json::parse(R"({"apiVersion": "config.openshift.io/v1", "kind": "ClusterVersion",
        "metadata": {"name": "version"}, "spec": {"clusterID": "01234567-0123-4123-8123-0123456789ab",
        "channel": "stable-4.6", "desiredUpdate": {"acceptRisks": [{"name": "SlowNodes"}]}}})")
                            .value()
                            .as_object());
    ASSERT_TRUE(testing::eventually([&] {
      if (client_ == nullptr) {
        auto config = kube::load_client_config({.file = file});
        if (!config) return false;
        client_ = kube::Client::create(*std::move(config)).value_or(nullptr);
      }
      return client_ != nullptr && client_->create(kind_, object).has_value();
    })) << read_file(folder_ / "log").value_or("");
    // As a whole: null in a merge patch would take the list away.
    json::Object held = read();
    held["status"] = json::parse(new_status).value();
    const auto written = client_->replace(kind_, k8s::Dynamic(std::move(held)), "status");
    ASSERT_TRUE(written) << written.error().message;
  }

  json::Object read() const { return client_->get(kind_, key_).value().json(); }

  const testing::TempDirectory folder_;
  const k8s::GroupVersionResource kind_ = openshift::ClusterVersion::resource.group_version_resource();
  const k8s::Key key_{"", "version"};
  std::unique_ptr<testing::Process> server_;
  std::shared_ptr<kube::Client> client_;
};

/// What is left of an object in a client that knows these members only.
json::Object with_only(const json::Value& value, std::initializer_list<std::string_view> members) {
  json::Object out;
  for (const std::string_view member : members)
    if (const json::Value* held = value.as_object().if_contains(member)) out[member] = *held;
  return out;
}

TEST_F(AdmUpgradeSkewOfOldClient, TakesTheWholeObjectOfAnOldClient) {
  const json::Object before = read();
  json::Object written = with_only(before, {"apiVersion", "kind", "metadata"});
  written["spec"] = with_only(before.at("spec"), {"clusterID", "channel", "upstream", "overrides"});
  written["spec"].as_object()["desiredUpdate"] =
      json::Object{{"version", "4.7.4"}, {"image", "example.com/r@sha256:2"}, {"force", false}};
  json::Object status = with_only(before.at("status"), {"observedGeneration", "versionHash", "conditions"});
  status["desired"] =
      json::Object{{"version", "4.6.23"}, {"image", "example.com/r@sha256:1"}, {"force", false}};
  status["availableUpdates"] = nullptr;
  written["status"] = std::move(status);
  const auto replaced = client_->replace(kind_, k8s::Dynamic(std::move(written)));
  ASSERT_TRUE(replaced) << replaced.error().message;
  const json::Object after = read();
  EXPECT_EQ(after.at("status"), before.at("status")) << "the status is the operator's alone";
  EXPECT_EQ(after.at("spec").at("desiredUpdate").at("version"), "4.7.4");
}

TEST_F(AdmUpgradeSkewOfOldClient, TakesThePatchOfAnOldClient) {
  const json::Value patch =
      json::parse(R"({"spec": {"desiredUpdate": {"version": "4.7.4", "image": "example.com/r@sha256:2",
                                                 "force": false}}})")
          .value();
  const auto patched = client_->patch(kind_, key_, kube::PatchType::merge, patch);
  ASSERT_TRUE(patched) << patched.error().message;
  const json::Value desired = read().at("spec").at("desiredUpdate");
  EXPECT_EQ(desired.at("version"), "4.7.4");
  EXPECT_EQ(json::to_text(desired.at("acceptRisks")), R"([{"name":"SlowNodes"}])")
      << "it knows nothing of them";
  const Ran shown = run("--include-not-recommended --kubeconfig '" + (folder_ / "kubeconfig").string() + "'");
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_TRUE(shown.out.contains("  Version: 4.7.4\n")) << shown.out;
}

}  // namespace
}  // namespace fairway
