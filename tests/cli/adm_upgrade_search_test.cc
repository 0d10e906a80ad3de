// A cluster whose release is not in its channel: the client looks for it in the other channels of the
// service.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "support/loopback_server.h"
#include "support/temp_directory.h"

namespace fairway {
namespace {

/// An API server and an update service in one. `described`: the cluster has Channel objects.
class Service {
 public:
  explicit Service(bool described)
      : described_(described),
        server_(testing::serve_on_loopback(
            "GET", [this](const http::Request& asked) { return http::Response::json(200, body(asked)); },
            {})),
        port_(server_->port()) {}

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

 private:
  std::string body(const http::Request& asked) const {
    constexpr std::string_view api = "/apis/config.openshift.io/v1/";
    if (asked.path == std::string(api) + "clusterversions/version")
      return R"({"apiVersion": "config.openshift.io/v1", "kind": "ClusterVersion", "metadata": {"name": "version"},
        "spec": {"channel": "stable-4.5", "upstream": ")" +
             url() +
             R"(/api/upgrades_info/graph"}, "status": {"desired": {"version": "4.6.1"}, "conditions": [
        {"type": "Failing", "status": "False"}, {"type": "Progressing", "status": "False", "message": "4.6.1"},
        {"type": "RetrievedUpdates", "status": "False", "reason": "VersionNotFound", "message": "not found"}]}})";
    if (asked.path == std::string(api) + "channels")
      return R"({"apiVersion": "config.openshift.io/v1", "kind": "ChannelList", "metadata": {}, "items": [)" +
             std::string(described_ ? R"({"apiVersion": "config.openshift.io/v1", "kind": "Channel",
               "metadata": {"name": "fast-4.6"}, "spec": {}, "status": {"description": "From the cluster."}})"
                                    : "") +
             "]}";
    if (asked.path == "/api/upgrades_info/channels")
      return R"({"channels": {"fast-4.6": {"description": "Early."}, "stable-4.5": {}, "stable-4.7": {}}})";
    const bool has = asked.query.find("channel=fast-4.6") != std::string_view::npos;
    return R"({"nodes": [{"version": ")" + std::string(has ? "4.6.1" : "4.7.0") +
           R"(", "payload": "example.com/r@sha256:1"}], "edges": []})";
  }

  bool described_;
  std::unique_ptr<http::Server> server_;
  std::atomic<int> port_;  // requests read it in the server's threads
};

std::string shown(const Service& service) {
  const testing::TempDirectory folder;
  const auto out = folder.path() / "out";
  const std::string line = "HOME='" + folder.path().string() +
                           "' KUBECONFIG= '" FAIRWAY_BINARY "' adm upgrade --server " + service.url() +
                           " > '" + out.string() + "' 2> /dev/null";
  const int status = std::system(line.c_str());
  EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
  return read_file(out).value_or("");
}

TEST(AdmUpgrade, looks_for_a_release_in_the_channels_of_the_service) {
  const Service service(false);
  const std::string text = shown(service);
  EXPECT_NE(text.find("4.6.1 is not in `stable-4.5`, but we have found it in `fast-4.6`.\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\n  fast-4.6: Early.\n"), std::string::npos) << text;
}

TEST(AdmUpgrade, prefers_the_channels_that_the_cluster_knows) {
  const Service service(true);
  const std::string text = shown(service);
  EXPECT_NE(text.find("\n  fast-4.6: From the cluster.\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace fairway
