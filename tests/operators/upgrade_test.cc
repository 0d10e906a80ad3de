// SPDX-License-Identifier: Apache-2.0

// The steps of docs/upgrading.md from the Deployment of the update service to the StatefulSet, with kubectl
// against the embedded API server; processes stand for Pods, and are polled as the Service chooses them.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "base/text.h"
#include "http/client.h"
#include "k8s/core.h"
#include "operators/operator_case.h"
#include "support/small_graph.h"

namespace fairway::operators::testing {
namespace {

using fairway::testing::eventually;
using fairway::testing::free_loopback_port;

constexpr const char* space = "fairway-updates";
const std::string deploy = FAIRWAY_SOURCE_DIR "/deploy/update-service";

using Labels = std::map<std::string, std::string, std::less<>>;

/// A `fairway serve` with the labels of its Pod.
class ServePod {
 public:
  ServePod(Labels labels, std::vector<std::string> command, const std::string& log, int port, int status_port)
      : labels_(std::move(labels)),
        command_(std::move(command)),
        log_(log),
        address_("127.0.0.1:" + std::to_string(port)),
        status_("127.0.0.1:" + std::to_string(status_port)),
        process_(std::in_place, command_, log_) {}

  bool is_chosen_by(const Labels& selector) const {
    return std::ranges::all_of(selector, [&](const auto& wanted) {
      const auto found = labels_.find(wanted.first);
      return found != labels_.end() && found->second == wanted.second;
    });
  }
  const std::string& address() const { return address_; }
  const std::string& status_address() const { return status_; }
  void end() { process_.reset(); }
  void start() { process_.emplace(command_, log_); }
  std::string log() const { return read_file(log_).value_or(""); }

 private:
  const Labels labels_;
  const std::vector<std::string> command_;
  const std::string log_, address_, status_;
  std::optional<fairway::testing::Process> process_;
};

class Upgrade : public OperatorCase {
 protected:
  void SetUp() override {
    if (std::system("command -v kubectl >/dev/null 2>&1") != 0)
      GTEST_SKIP() << "kubectl is absent: apt-get install kubernetes-client";
    OperatorCase::SetUp();
    http_ = http::Client::create({.proxy_environment = false}).value();
    for (const auto& [path, text] : fairway::testing::small_graph_data())
      folder_.write("graph-data/" + path, text);
    folder_.write("releases.json", fairway::testing::small_release_list());
  }

  void kubectl(const std::string& arguments) {
    const std::string output = (folder_ / "kubectl.log").string();
    const std::string line =
        "KUBECONFIG=" + (folder_ / "kubeconfig").string() + " kubectl " + arguments + " >" + output + " 2>&1";
    EXPECT_EQ(std::system(line.c_str()), 0) << arguments << "\n" << read_file(output).value_or("");
  }

  /// Returns the labels of the Pods of a workload, as the API server has it.
  Labels labels_of(const std::string& resource) {
    const auto workload = client_->get({"apps", "v1", resource}, {space, "fairway-updates"});
    EXPECT_TRUE(workload) << resource;
    Labels labels;
    if (!workload) return labels;
    for (const auto& [key, value] : workload->find("spec.template.metadata.labels")->as_object())
      labels.emplace(key, value.as_string());
    return labels;
  }

  ServePod& start_pod(const std::string& name, Labels labels, const std::vector<std::string>& flags) {
    const int port = free_loopback_port(), status_port = free_loopback_port();
    std::vector<std::string> command{FAIRWAY_BINARY,    "serve",
                                     "--releases",      (folder_ / "releases.json").string(),
                                     "--graph-data",    (folder_ / "graph-data").string(),
                                     "--max-widening",  "0,0%",
                                     "--listen",        "127.0.0.1:" + std::to_string(port),
                                     "--status-listen", "127.0.0.1:" + std::to_string(status_port),
                                     "--data",          (folder_ / name).string()};
    command.insert(command.end(), flags.begin(), flags.end());
    const std::lock_guard lock(mutex_);
    return pods_.emplace_back(std::move(labels), std::move(command), (folder_ / (name + ".log")).string(),
                              port, status_port);
  }

  std::optional<http::Reply> ask(const std::string& address, const std::string& path) {
    http::Call call;
    call.url = http::Url::parse("http://" + address + path).value();
    call.limits = Limits::within(Clock::system(), fairway::testing::generous(std::chrono::seconds(3)));
    auto reply = http_->send(call);
    if (!reply) return std::nullopt;
    return std::move(*reply);
  }
  int readyz(const ServePod& pod) {
    const auto reply = ask(pod.status_address(), "/readyz");
    return reply ? reply->status : 0;
  }
  std::string etag(const ServePod& pod) {
    const auto reply = ask(pod.address(), graph_path);
    return std::string(reply ? reply->headers.find("ETag").value_or("none") : "nothing");
  }

  /// Polls once as a cluster does: asks some ready Pod that the Service chooses now.
  void poll() {
    const auto service =
        client_->get(k8s::GroupVersionResource{"", "v1", "services"}, {space, "fairway-updates"});
    if (!service) return;
    Labels selector;
    for (const auto& [key, value] : service->find("spec.selector")->as_object())
      selector.emplace(key, value.as_string());
    std::vector<const ServePod*> chosen;
    {
      const std::lock_guard lock(mutex_);
      for (const ServePod& pod : pods_) {
        if (pod.is_chosen_by(selector)) chosen.push_back(&pod);
      }
    }
    std::erase_if(chosen, [&](const ServePod* pod) { return readyz(*pod) != 200; });
    ++polls_;
    const auto reply =
        chosen.empty() ? std::nullopt : ask(chosen[polls_ % chosen.size()]->address(), graph_path);
    if (!reply || reply->status != 200) ++lost_;
  }
  void wait_for_polls() {
    const int before = polls_;
    EXPECT_TRUE(eventually([&] { return polls_ > before + 3; }));
  }

  static constexpr const char* graph_path = "/api/upgrades_info/graph?channel=stable-4.7";
  std::unique_ptr<http::Client> http_;
  std::mutex mutex_;
  std::list<ServePod> pods_;
  std::atomic<int> polls_ = 0, lost_ = 0;
};

TEST_F(Upgrade, FromADeploymentToAStatefulSetLosesNoPoll) {
  kubectl("apply -f " + deploy +
          "/namespace.yaml -f " FAIRWAY_SOURCE_DIR "/tests/operators/data/upgrade/deployment-0.1.yaml");
  const Labels old_labels = labels_of("deployments");
  ServePod& old_pod = start_pod("old", old_labels, {});
  ASSERT_TRUE(eventually([&] { return readyz(old_pod) == 200; })) << old_pod.log();
  std::jthread polling([this](const std::stop_token& stop) {
    while (!stop.stop_requested()) poll();
  });
  wait_for_polls();

  // Steps 2 and 3: the secret, and all but the Service that clusters reach.
  kubectl(
      "-n fairway-updates create secret generic fairway-updates-peers --from-literal=token=0123456789abcdef");
  kubectl("apply -k " + deploy + " -l 'app.kubernetes.io/component!=clients'");
  const auto secret =
      client_->get(k8s::Secret::resource.group_version_resource(), {space, "fairway-updates-peers"});
  ASSERT_TRUE(secret);
  folder_.write("token", "0123456789abcdef");
  const Labels new_labels = labels_of("statefulsets");
  EXPECT_FALSE(pods_.front().is_chosen_by(new_labels));
  const std::string peers[] = {"127.0.0.1:" + std::to_string(free_loopback_port()),
                               "127.0.0.1:" + std::to_string(free_loopback_port())};
  std::vector<ServePod*> set;
  for (int i = 0; i < 2; ++i) {
    set.push_back(&start_pod("set-" + std::to_string(i), new_labels,
                             {"--peers", peers[0] + "," + peers[1], "--peer-listen", peers[i],
                              "--peer-token-file", (folder_ / "token").string()}));
  }
  // Step 4: they wait for an operator, and the second one compares with the first.
  std::string reason;
  ASSERT_TRUE(eventually([&] {
    const auto reply = ask(set[0]->status_address(), "/readyz");
    reason = reply ? reply->body : "";
    return reason.contains("fairway graph accept ");
  })) << reason
      << set[0]->log();
  EXPECT_NE(readyz(*set[1]), 200);
  wait_for_polls();
  const std::string id = reason.substr(reason.find("fairway graph accept ") + 21, 32);
  const std::string accept = std::string(FAIRWAY_BINARY) + " graph accept " + id + " --data " +
                             (folder_ / "set-0").string() + " >/dev/null";
  ASSERT_EQ(std::system(accept.c_str()), 0);
  for (const ServePod* pod : set) ASSERT_TRUE(eventually([&] { return readyz(*pod) == 200; })) << pod->log();
  EXPECT_EQ(etag(*set[0]), etag(old_pod));
  EXPECT_EQ(etag(*set[1]), etag(old_pod));

  // Steps 5 and 6.
  kubectl("apply -k " + deploy);
  wait_for_polls();
  kubectl("-n fairway-updates delete deployment fairway-updates");
  {
    const std::lock_guard lock(mutex_);
    old_pod.end();
  }
  wait_for_polls();
  polling.request_stop();
  polling.join();
  EXPECT_EQ(lost_, 0) << "of " << polls_;

  // What is held stays held in a Pod that has lost its volume.
  std::filesystem::remove(folder_ / "graph-data/blocked-edges/4.7.0.yaml");
  for (const ServePod* pod : set) {
    EXPECT_TRUE(eventually([&] { return pod->log().contains("a refresh is held"); })) << pod->log();
  }
  const std::string held = etag(*set[0]);
  set[1]->end();
  std::filesystem::remove_all(folder_ / "set-1");
  set[1]->start();
  EXPECT_TRUE(eventually([&] { return readyz(*set[1]) == 200; })) << set[1]->log();
  EXPECT_EQ(etag(*set[1]), held);
}

}  // namespace
}  // namespace fairway::operators::testing
