// SPDX-License-Identifier: Apache-2.0

// State that 0.1.0 left on disk is taken up: what was stored is there, unchanged.
#include <gtest/gtest.h>

#include <set>

#include "base/base64.h"
#include "base/clock.h"
#include "base/text.h"
#include "e2e/old_state.h"
#include "k8s/condition.h"
#include "kube/client/client.h"
#include "kube/client/kubeconfig.h"
#include "openshift/cluster_version.h"
#include "release/cache.h"
#include "updateservice/running_service.h"

namespace fairway {
namespace {

using testing::OldState;
using testing::StateApiServer;
using testing::StateProgram;
using updateservice::testing::send_request;

std::shared_ptr<kube::Client> client_of(kube::ClientConfig config) {
  auto client = kube::Client::create(std::move(config));
  if (!client) throw std::runtime_error(client.error().message);
  return *std::move(client);
}

std::shared_ptr<kube::Client> administrator(const StateApiServer& server) {
  return client_of(kube::load_client_config({.file = server.kubeconfig()}).value());
}

/// Returns the object at a path; the error in place of one.
json::Value get(kube::Client& client, const std::string& path) {
  std::string body;
  const auto sent = client.send({.path = path}, body);
  return sent ? json::parse(body).value() : json::Value(json::Object{{"error", sent.error().message}});
}

/// Returns an object as 0.1.0 showed it.
json::Value old_object(const OldState& state, std::string_view path) {
  const json::Value objects = state.json("apiserver/objects.json");
  for (const json::Value& one : objects.as_array())
    if (one.at("path").as_string() == path) return one.at("object");
  throw std::runtime_error("no " + std::string(path) + " in objects.json");
}

TEST(OldApiServerState, HasTheSameObjects) {
  const OldState state;
  state.write("apiserver/data/apiserver.db", state.database("apiserver.db"));
  const StateApiServer server(state);
  const auto client = administrator(server);
  const json::Value objects = state.json("apiserver/objects.json");
  std::size_t judged = 0;
  for (const json::Value& one : objects.as_array()) {
    const std::string path(one.at("path").as_string());
    EXPECT_EQ(get(*client, path), one.at("object")) << path;
    ++judged;
  }
  EXPECT_EQ(judged, 10U);
}

TEST(OldApiServerState, IsWrittenOn) {
  const OldState state;
  state.write("apiserver/data/apiserver.db", state.database("apiserver.db"));
  const std::string path = "/api/v1/namespaces/state/configmaps/changed";
  json::Value written;
  {
    const StateApiServer server(state);
    const auto client = administrator(server);
    auto patched = client->patch({"", "v1", "configmaps"}, {"state", "changed"}, kube::PatchType::merge,
                                 json::parse(R"({"data": {"at": "0.2.0"}})").value());
    ASSERT_TRUE(patched) << patched.error().message;
    written = get(*client, path);
  }
  const StateApiServer again(state);
  EXPECT_EQ(get(*administrator(again), path), written);
  EXPECT_EQ(written.at("data").at("at"), "0.2.0");
  // The revisions go on.
  const auto revision = [](const json::Value& object) {
    return std::stoll(std::string(object.at("metadata").at("resourceVersion").as_string()));
  };
  EXPECT_GT(revision(written), revision(old_object(state, path)));
}

TEST(OldApiServerState, HasTheSameAuthorityAndTokens) {
  const OldState state;
  state.write("apiserver/data/apiserver.db", state.database("apiserver.db"));
  const StateApiServer server(state);
  kube::ClientConfig config = kube::load_client_config({.file = server.kubeconfig()}).value();
  EXPECT_EQ(config.ca, state.text("apiserver/certificate-authority"));
  const json::Value secret = old_object(state, "/api/v1/namespaces/state/secrets/robot-token");
  kube::ClientConfig as_robot = config.anonymous();
  const auto token = base64_decode(std::string(secret.at("data").at("token").as_string()));
  ASSERT_TRUE(token);
  as_robot.token = *token;
  const auto robot = client_of(as_robot);
  EXPECT_EQ(get(*robot, "/api/v1/namespaces/state/configmaps/plain").at("kind"), "ConfigMap");
  // Its Role has no more.
  EXPECT_TRUE(get(*robot, "/api/v1/namespaces/state/secrets/password").as_object().contains("error"));
}

TEST(OldApiServerState, IsRestoredFromABackup) {
  const OldState state;
  state.write("apiserver/backup.db", state.database("backup.db"));
  StateProgram restore(state, "apiserver", {"apiserver", "restore", "--data", "restored", "backup.db"});
  EXPECT_EQ(restore.exit_status(), 0) << restore.log();
  const StateApiServer server(state, "restored");
  const auto client = administrator(server);
  const json::Value changed = get(*client, "/api/v1/namespaces/state/configmaps/changed");
  EXPECT_EQ(changed.at("data").at("at"), "first") << "the backup was made before the change";
  const json::Value plain = get(*client, "/api/v1/namespaces/state/configmaps/plain");
  EXPECT_EQ(plain.at("data"), old_object(state, "/api/v1/namespaces/state/configmaps/plain").at("data"));
}

class OldServiceState : public ::testing::Test {
 protected:
  void start(const std::string& data) {
    service_.emplace(state_, "service", testing::old_service_words(data));
    const std::string at = service_->word_after("address=");
    address_ = at.substr(0, at.find('/'));
  }
  std::string body(const std::string& path) const {
    const auto reply = send_request(address_, "GET", "/api/upgrades_info/" + path);
    return reply.status == 200 ? reply.body : "status " + std::to_string(reply.status);
  }
  bool serves(const std::string& graph) const {
    return testing::eventually([&] { return body("graph?channel=candidate-4.7&arch=amd64") == graph; });
  }

  const OldState state_;
  std::optional<StateProgram> service_;
  std::string address_;
};

TEST_F(OldServiceState, HoldsTheSameWidening) {
  start("data");
  EXPECT_TRUE(serves(state_.text("service/graph.json"))) << service_->log();
  EXPECT_TRUE(testing::eventually([&] {
    const auto problems = json::parse(body("problems"));
    return problems && *problems == state_.json("service/problems.json");
  })) << body("problems");
  EXPECT_FALSE(service_->log().contains("no last good graph")) << service_->log();
  // What is held is opened by the id that it had.
  const std::string held(trim(state_.text("service/held")));
  const std::string accepted_before = state_.text("service/data/accepted");
  StateProgram accept(state_, "service", {"graph", "accept", held, "--data", "data"});
  EXPECT_EQ(accept.exit_status(), 0) << accept.log();
  EXPECT_TRUE(testing::eventually([&] { return body("problems") == R"({"problems":[]})"; }))
      << body("problems");
  EXPECT_EQ(state_.text("service/data/accepted"), accepted_before + held + "\n");
}

TEST_F(OldServiceState, IsServedWithoutTheSources) {
  std::filesystem::remove_all(state_ / "service/graph-data");
  std::filesystem::remove(state_ / "service/releases.json");
  start("data-before");
  EXPECT_TRUE(serves(state_.text("service/graph-before.json"))) << service_->log();
}

TEST_F(OldServiceState, HoldsTheSameWithoutTheSources) {
  std::filesystem::remove_all(state_ / "service/graph-data");
  std::filesystem::remove(state_ / "service/releases.json");
  start("data");
  EXPECT_TRUE(serves(state_.text("service/graph.json"))) << service_->log();
}

TEST(OldOperatorState, OffersWhatTheUpdateServiceSaidLast) {
  const OldState state;
  state.write("apiserver/data/apiserver.db", state.database("apiserver.db"));
  // It counts for a day.
  ASSERT_TRUE(parse_time(state.text("operator/updates/answer-time")));
  const std::string now = format_time(Clock::system().now());
  state.write("operator/updates/answer-time", now);
  const StateApiServer server(state);
  StateProgram program(state, "operator", testing::old_operator_words(server.kubeconfig()));
  const auto client = administrator(server);
  const auto read = [&] {
    return client
        ->get(openshift::ClusterVersion::resource.group_version_resource(),
              {"", std::string(openshift::ClusterVersion::object_name)})
        .value();
  };
  const auto stale = [&] {
    const k8s::Dynamic object = read();
    const auto condition = k8s::find_condition(object, "fairway.dev/StaleUpdates");
    return condition ? std::string(condition->message()) : "";
  };
  EXPECT_TRUE(testing::eventually([&] { return stale().contains("which came at " + now); }))
      << json::to_text(json::Value(read().json())) << program.log();
  const json::Value before = old_object(state, "/apis/config.openshift.io/v1/clusterversions/version");
  const json::Object after = read().json();
  for (const char* kept : {"availableUpdates", "history", "desired"})
    EXPECT_EQ(after.at("status").at(kept), before.at("status").at(kept)) << kept;
  EXPECT_EQ(after.at("spec"), before.at("spec"));
}

TEST(OldReleaseCache, IsRead) {
  const OldState state;
  const auto opened =
      release::Cache::open({.index = state / "releases/index.log", .images = state / "operator/releases"});
  ASSERT_TRUE(opened) << opened.error().message;
  const release::Cache& cache = **opened;
  std::set<std::string> versions;
  for (const char* tag : {"4.6.23", "4.6.43"}) {
    const auto digest = cache.tag(tag);
    ASSERT_TRUE(digest) << tag;
    const auto image = cache.image(*digest);
    ASSERT_TRUE(image && image->is_release()) << tag;
    EXPECT_EQ(image->arch, "amd64");
    versions.insert(std::string(json::parse(image->metadata).value().at("version").as_string()));
  }
  EXPECT_EQ(versions, (std::set<std::string>{"4.6.23", "4.6.43"}));
  const auto whole = cache.contents(cache.tag("4.6.23").value());
  ASSERT_TRUE(whole);
  EXPECT_TRUE(whole->files.contains("0000_10_gears_01_crd.yaml"));
}

}  // namespace
}  // namespace fairway
