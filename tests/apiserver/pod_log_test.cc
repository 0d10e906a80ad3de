// SPDX-License-Identifier: Apache-2.0

// Logs of Pods, which the API server has from the kubelet of their Node.
#include <mutex>
#include <string>
#include <vector>

#include "apiserver/server_case.h"
#include "support/loopback_server.h"
#include "support/loopback_tls.h"

namespace fairway::apiserver::testing {
namespace {

const k8s::GroupVersionResource pods{"", "v1", "pods"}, nodes{"", "v1", "nodes"};

class PodLog : public OnServer {
 protected:
  PodLog() {
    make_node("here", "127.0.0.1", kubelet_->port());
    make_pod("one", "here", R"({"name":"main","image":"a:1"})");
    make_pod("two", "here", R"({"name":"main","image":"a:1"},{"name":"side","image":"a:1"})");
    make_pod("unplaced", "", R"({"name":"main","image":"a:1"})");
    make_pod("elsewhere", "gone", R"({"name":"main","image":"a:1"})");
  }

  void make_node(const std::string& name, const std::string& address, int port) {
    const auto made = client->create(
        nodes, object_of(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" + name + R"("}})"));
    if (!made) throw std::runtime_error(made.error().message);
    k8s::Dynamic node = *made;
    node.set("status",
             parsed(R"({"addresses":[{"type":"InternalIP","address":")" + address +
                    R"("}],"daemonEndpoints":{"kubeletEndpoint":{"Port":)" + std::to_string(port) + "}}}"));
    if (const auto set = client->replace(nodes, node, "status"); !set)
      throw std::runtime_error(set.error().message);
  }
  void make_pod(const std::string& name, const std::string& node, const std::string& containers) {
    const std::string place = node.empty() ? "" : R"("nodeName":")" + node + R"(",)";
    const auto made =
        client->create(pods, object_of(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
                                       R"(","namespace":"default"},"spec":{)" + place + R"("containers":[)" +
                                       containers + "]}}"));
    if (!made) throw std::runtime_error(made.error().message);
  }
  std::string log_of(const std::string& pod, const std::string& query = "") const {
    return get("/api/v1/namespaces/default/pods/" + pod + "/log", query, "*/*");
  }
  std::vector<std::string> asked() {
    const std::lock_guard lock(mutex_);
    return asked_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> asked_;
  const std::unique_ptr<http::Server> kubelet_ = fairway::testing::serve_on_loopback(
      "GET",
      [this](const http::Request& request) {
        const std::lock_guard lock(mutex_);
        asked_.push_back(std::string(request.path) + "?" + std::string(request.query));
        if (request.query.contains("previous")) return http::Response::text(400, "there is none before\n");
        if (request.query.contains("timestamps")) {
          return http::Response::text(200, std::string((std::size_t{16} << 20) + 1, 'x'));
        }
        return http::Response::text(200, "a line\n");
      },
      // By an authority that nobody trusts.
      fairway::testing::loopback_tls("kubelet").options);
};

TEST_F(PodLog, IsWhatTheKubeletSays) {
  EXPECT_EQ(log_of("one"), "a line\n");
  EXPECT_EQ(log_of("two", "container=side&tailLines=5&sinceTime=2026-01-01T00:00:00Z&pretty=true"),
            "a line\n");
  EXPECT_EQ(asked(), (std::vector<std::string>{
                         "/containerLogs/default/one/main?",
                         "/containerLogs/default/two/side?sinceTime=2026-01-01T00%3A00%3A00Z&tailLines=5"}));
  const std::string refused = log_of("one", "previous=true");
  EXPECT_TRUE(refused.contains("there is none before") && refused.contains("\"code\":400")) << refused;
}

TEST_F(PodLog, IsRefusedWhereItIsTooLarge) {
  const std::string refused = log_of("one", "timestamps=true");
  EXPECT_TRUE(refused.contains("larger than 16 MiB: ask for less of it")) << refused.substr(0, 300);
}

TEST_F(PodLog, SaysWhyThereIsNone) {
  const auto expect = [&](const std::string& got, const std::string& words) {
    EXPECT_TRUE(got.contains(words)) << got;
  };
  expect(log_of("two"), "a container name must be specified for pod two, choose one of: [main side]");
  expect(log_of("two", "container=x/../../"), "container x/../../ is not valid for pod two");
  expect(log_of("one", "follow=true"), "does not follow logs");
  expect(log_of("nobody"), R"(pods \"nobody\" not found)");
  expect(log_of("elsewhere"), R"(nodes \"gone\" not found)");
  EXPECT_EQ(log_of("unplaced"), "");
  EXPECT_TRUE(asked().empty());
  make_node("closed", "127.0.0.1", 1);
  make_pod("closed", "closed", R"({"name":"main","image":"a:1"})");
  expect(log_of("closed"), "Connection refused");
}

}  // namespace
}  // namespace fairway::apiserver::testing
