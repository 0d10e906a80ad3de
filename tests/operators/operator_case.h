// SPDX-License-Identifier: Apache-2.0

// `fairway operator` beside an API server of this process.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/server.h"
#include "base/file.h"
#include "kube/client/client.h"
#include "kube/client/kubeconfig.h"
#include "openshift/channel.h"
#include "openshift/cluster_version.h"
#include "operators/definitions.h"
#include "operators/update_stubs.h"
#include "support/eventually.h"
#include "support/process.h"
#include "support/temp_directory.h"

namespace fairway::operators::testing {

class OperatorCase : public ::testing::Test {
 protected:
  void SetUp() override {
    start_server(server_options());
    ASSERT_TRUE(server_);
    const auto applied = server_->apply(definitions(), "definitions");
    ASSERT_TRUE(applied) << applied.error().message;
    server_->wait_until_current();
    folder_.write("kubeconfig", server_->kubeconfig());
    auto config = kube::load_client_config({.file = (folder_ / "kubeconfig").string()});
    ASSERT_TRUE(config) << config.error().message;
    auto client = kube::Client::create(*std::move(config));
    ASSERT_TRUE(client) << client.error().message;
    client_ = *std::move(client);
    set_clock(0);
    setenv("FAIRWAY_TEST_CLOCK", (folder_ / "clock").c_str(), 1);
    // The registries of examples are nowhere, and nobody is asked for them.
    setenv("https_proxy", "http://127.0.0.1:1", 1);
    setenv("no_proxy", "127.0.0.1", 1);
  }
  void TearDown() override {
    for (const char* name : {"FAIRWAY_TEST_CLOCK", "https_proxy", "no_proxy"}) unsetenv(name);
  }

  /// Returns the options of the API server; by default its storage is in memory.
  virtual apiserver::ServerOptions server_options() const { return {}; }
  void start_server(apiserver::ServerOptions options) {
    auto server = apiserver::EmbeddedServer::start(std::move(options));
    ASSERT_TRUE(server) << server.error().message;
    server_ = *std::move(server);
  }

  /// Sets how many seconds the operator's clock is ahead.
  void set_clock(int seconds) {
    ASSERT_TRUE(write_file_atomically(folder_ / "clock", std::to_string(seconds)));
  }

  std::vector<std::string> arguments(std::vector<std::string> more) const {
    std::vector<std::string> all{FAIRWAY_BINARY,         "operator",
                                 "--kubeconfig",         (folder_ / "kubeconfig").string(),
                                 "--leader-elect=false", "--status-listen=" + status_listen_};
    if (!is_throttled_) all.insert(all.end(), {"--risk-query-interval=0s", "--risk-repeat-interval=0s"});
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  std::unique_ptr<fairway::testing::Process> start(const std::vector<std::string>& more) {
    return std::make_unique<fairway::testing::Process>(arguments(more), log_path());
  }
  std::string log_path() const { return (folder_ / "log").string(); }
  std::string log() const { return read_file(log_path()).value_or(""); }

  void write_cluster(const json::Value& spec, const json::Value& status = {}) {
    [[maybe_unused]] const auto removed = client_->remove(kind_, key_);  // of the case before
    auto cluster = k8s::make<openshift::ClusterVersion>(openshift::ClusterVersion::object_name);
    cluster.set("spec", spec);
    auto created = client_->create(kind_, cluster);
    ASSERT_TRUE(created) << created.error().message;
    if (!status.is_object()) return;
    created->set("status", status);
    const auto written = client_->replace(kind_, *created, "status");
    ASSERT_TRUE(written) << written.error().message;
  }
  void write_spec(const json::Value& spec) {
    ASSERT_TRUE(fairway::testing::eventually([&] {
      auto cluster = client_->get(kind_, key_);
      if (!cluster) return false;
      cluster->set("spec", spec);
      return client_->replace(kind_, *cluster).has_value();
    }));
  }
  json::Value status() const {
    const auto cluster = client_->get(kind_, key_);
    const json::Value* found = cluster ? cluster->find("status") : nullptr;
    return found == nullptr ? json::Value() : *found;
  }

  /// True if risks are evaluated no more often than usual.
  bool is_throttled_ = false;
  std::string status_listen_ = "127.0.0.1:0";
  const fairway::testing::TempDirectory folder_;
  std::unique_ptr<apiserver::EmbeddedServer> server_;
  std::shared_ptr<kube::Client> client_;
  const k8s::GroupVersionResource kind_ = openshift::ClusterVersion::resource.group_version_resource();
  const k8s::Key key_{"", std::string(openshift::ClusterVersion::object_name)};
};

}  // namespace fairway::operators::testing
