// SPDX-License-Identifier: Apache-2.0

// What the client asks beside the API server: the update service why, and the monitoring for alerts.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/base64.h"
#include "base/file.h"
#include "base/text.h"
#include "http/certificate.h"
#include "support/eventually.h"
#include "support/loopback_server.h"
#include "support/loopback_tls.h"
#include "support/process.h"
#include "support/temp_directory.h"

namespace fairway {
namespace {

/// An API server of fixed objects, by path.
class Objects {
 public:
  explicit Objects(std::map<std::string, std::string, std::less<>> objects)
      : objects_(std::move(objects)),
        server_(testing::serve_on_loopback(
            "GET",
            [this](const http::Request& asked) {
              const auto found = objects_.find(asked.path);
              return found == objects_.end()
                         ? http::Response::json(
                               404, R"({"kind":"Status","apiVersion":"v1","status":"Failure","code":404,
                                        "reason":"NotFound","message":"not found"})")
                         : http::Response::json(200, found->second);
            },
            {})) {}
  std::string url() const { return "http://127.0.0.1:" + std::to_string(server_->port()); }

 private:
  const std::map<std::string, std::string, std::less<>> objects_;
  std::unique_ptr<http::Server> server_;
};

constexpr const char* version_path = "/apis/config.openshift.io/v1/clusterversions/version";
constexpr const char* route_path =
    "/apis/route.openshift.io/v1/namespaces/openshift-monitoring/routes/thanos-querier";

std::string cluster_version(const std::string& upstream) {
  return R"({"apiVersion":"config.openshift.io/v1","kind":"ClusterVersion","metadata":{"name":"version"},
    "spec":{"channel":"stable-4.7","upstream":")" +
         upstream + R"("},"status":{"desired":{"version":"4.6.23","image":"i","channels":["stable-4.7"]},
    "history":[{"state":"Completed","version":"4.6.23","image":"i"}],
    "availableUpdates":[{"version":"4.6.42","image":"j"}],
    "conditions":[{"type":"Failing","status":"False"},
      {"type":"Progressing","status":"False","message":"Cluster version is 4.6.23"},
      {"type":"RetrievedUpdates","status":"True"}]}})";
}

std::string run(const testing::TempDirectory& folder, const std::string& flags) {
  const auto out = (folder.path() / "out").string();
  const std::string line = "cd '" + folder.text() + "'; HOME='" + folder.text() + "' KUBECONFIG='" +
                           (folder / "kubeconfig").string() + "' '" FAIRWAY_BINARY "' adm upgrade " + flags +
                           " > '" + out + "' 2>&1";
  EXPECT_NE(std::system(line.c_str()), -1);
  return read_file(out).value_or("");
}

TEST(AdmUpgradeLive, AsksTheUpdateServiceWhy) {
  const testing::TempDirectory folder;
  const std::string examples = FAIRWAY_SOURCE_DIR "/examples";
  testing::Process service(
      {FAIRWAY_BINARY, "serve", "--graph-data", examples + "/graph-data", "--releases",
       examples + "/releases.json", "--listen", "127.0.0.1:0", "--status-listen", "127.0.0.1:0"},
      (folder / "log").string());
  std::string address;
  ASSERT_TRUE(testing::eventually([&] {
    const std::string log = read_file(folder / "log").value_or("");
    constexpr std::string_view before = " serving address=";
    const std::size_t at = log.find(before);
    if (at == std::string::npos || log.find('\n', at) == std::string::npos) return false;
    address = log.substr(at + before.size(), log.find(' ', at + before.size()) - at - before.size());
    return true;
  })) << read_file(folder / "log").value_or("");
  const Objects cluster({{version_path, cluster_version("http://" + address + "/graph")}});
  const std::string server = " --server " + cluster.url();
  // Until it serves, it says why it does not.
  std::string text;
  ASSERT_TRUE(testing::eventually([&] {
    text = run(folder, "why 4.7.4" + server);
    return text.contains("blocked-edges");
  })) << text;
  EXPECT_TRUE(
      text.starts_with("4.7.4 is not offered to this cluster.\n"
                       "The update service says of 4.6.23 to 4.7.4 in stable-4.7: conditional"))
      << text;
  EXPECT_TRUE(text.contains("  blocked-edges/4.7.4-vsphere-node-names.yaml:1: ")) << text;
  text = run(folder, "why 4.6.42" + server);
  EXPECT_TRUE(text.starts_with("4.6.42 is recommended.\nThe update service says of 4.6.23 to 4.6.42"))
      << text;
  text = run(folder, "why 4.9.9" + server);
  EXPECT_TRUE(text.contains("The update service")) << text;
}

TEST(AdmUpgradeLive, EndsAtTheTimeoutAlthoughTheRequestIsNotAnswered) {
  const testing::TempDirectory folder;
  std::promise<void> over;
  const std::shared_future<void> is_over = over.get_future().share();
  const auto server = testing::serve_on_loopback("GET PATCH",
                                                 [is_over](const http::Request& request) {
                                                   if (request.method == "PATCH") is_over.wait();
                                                   return http::Response::json(
                                                       200, cluster_version("http://127.0.0.1:1/graph"));
                                                 },
                                                 {});
  const std::string text = run(
      folder, "--to 4.6.42 --wait --timeout 5s --server http://127.0.0.1:" + std::to_string(server->port()));
  over.set_value();
  EXPECT_TRUE(text.contains("Unable to upgrade: ") && text.contains("it may have been written")) << text;
}

/// The monitoring of a cluster, with a certificate of a CA of its own.
class Monitoring {
 public:
  Monitoring() {
    auto [authority, options] = testing::loopback_tls("monitoring", {"127.0.0.1", "localhost"});
    authority_ = std::move(authority);
    server_ = testing::serve_on_loopback(
        "GET", [](const http::Request& request) { return answer(request); }, options);
  }
  std::string host() const { return "localhost:" + std::to_string(server_->port()); }
  const std::string& authority() const { return authority_.certificate; }

 private:
  static http::Response answer(const http::Request& request) {
    for (const http::Field& field : request.fields) {
      if (equals_ignoring_case(field.name, "Authorization") && field.value == "Bearer secret" &&
          request.path == "/api/v1/alerts") {
        return http::Response::json(200, R"({"status":"success","data":{"alerts":[{"state":"firing",
          "labels":{"alertname":"KubeNodeNotReady","severity":"warning"},
          "annotations":{"summary":"Node is not ready."}}]}})");
      }
    }
    return http::Response::text(401, "who are you?");
  }
  http::KeyedCertificate authority_;
  std::unique_ptr<http::Server> server_;
};

std::string kubeconfig(const std::string& server, const std::string& authority, const std::string& user) {
  return "apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters: [{name: c, cluster: {server: \"" +
         server + "\", certificate-authority-data: \"" + base64_encode(authority) +
         "\"}}]\nusers: [{name: u, user: " + user +
         "}]\ncontexts: [{name: c, context: {cluster: c, user: u}}]\n";
}

TEST(AdmUpgradeLive, ReadsTheAlertsOfTheCluster) {
  const testing::TempDirectory folder;
  const Monitoring monitoring;
  const std::string route =
      R"({"apiVersion":"route.openshift.io/v1","kind":"Route","metadata":{"name":"thanos-querier",
      "namespace":"openshift-monitoring"},"spec":{"host":"nobody.invalid"},"status":{"ingress":[{"host":")" +
      monitoring.host() + R"("}]}})";
  const Objects with({{version_path, cluster_version("")}, {route_path, route}});
  folder.write("kubeconfig", kubeconfig(with.url(), monitoring.authority(), "{token: secret}"));
  std::string text = run(folder, "recommend");
  EXPECT_TRUE(text.contains("KubeNodeNotReady")) << text;

  folder.write("kubeconfig", kubeconfig(with.url(), monitoring.authority(), "{}"));
  text = run(folder, "recommend");
  EXPECT_TRUE(text.contains("no token is currently in use for this session")) << text;
  EXPECT_FALSE(text.contains("KubeNodeNotReady")) << text;

  const Objects without({{version_path, cluster_version("")}});
  folder.write("kubeconfig", kubeconfig(without.url(), monitoring.authority(), "{token: secret}"));
  text = run(folder, "recommend");
  EXPECT_TRUE(text.contains("no Route openshift-monitoring/thanos-querier")) << text;
}

}  // namespace
}  // namespace fairway
