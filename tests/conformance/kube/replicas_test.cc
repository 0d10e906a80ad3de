// SPDX-License-Identifier: Apache-2.0

// Replicas of a conversion webhook behind one address, of which some go while others stay.
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>

#include "conformance/kube/balancer.h"
#include "conformance/kube/conversion_load.h"
#include "conformance/kube/on_cluster.h"
#include "conformance/kube/webhook_host.h"
#include "support/talking_process.h"

namespace fairway::conformance {
namespace {

using namespace std::chrono_literals;

/// A process that serves: see webhook_replica.h.
class Replica {
 public:
  /// Throws if it does not come up.
  Replica(const Cluster& cluster, const std::string& namespace_name, const std::string& service)
      : process_(
            {"/proc/self/exe", "webhook-replica", cluster.kubeconfig(), namespace_name, service},
            [this](std::string_view line) { hear(line); },
            [this] {
              const std::lock_guard lock(mutex_);
              over_ = true;
              heard_.notify_all();
            }) {
    std::unique_lock lock(mutex_);
    heard_.wait_for(lock, 60s, [&] { return port_ != 0 || over_; });
    if (port_ == 0) throw std::runtime_error("a replica does not serve:\n" + text_);
  }

  std::uint16_t port() const { return port_; }
  /// Sends the signal and waits for the end; the wait status.
  int end(int signal) { return process_.end(signal); }
  std::string text() const {
    const std::lock_guard lock(mutex_);
    return text_;
  }

 private:
  void hear(std::string_view line) {
    constexpr std::string_view serves = "serves ";
    const std::lock_guard lock(mutex_);
    text_.append(line).append("\n");
    if (line.starts_with(serves))
      port_ = static_cast<std::uint16_t>(std::atoi(std::string(line.substr(serves.size())).c_str()));
    heard_.notify_all();
  }

  mutable std::mutex mutex_;
  std::condition_variable heard_;
  std::string text_;
  std::uint16_t port_ = 0;
  bool over_ = false;
  testing::TalkingProcess process_;
};

class Replicas : public OnCluster {
 protected:
  /// Starts one more, which gets connections from now on.
  std::unique_ptr<Replica> start() {
    auto replica = std::make_unique<Replica>(cluster, namespace_name, balancer.address());
    balancer.add(replica->port());
    return replica;
  }
  /// Removes the definitions while a replica still answers.
  void TearDown() override {
    remove_definitions(
        *client, webhook::read_definitions(Gizmo::yaml("gizmos", Gizmo::group, "Gizmo"), "the test").value());
  }

  Balancer balancer;
};

// 200 conversions a second, and two replicas, of which the older one goes again and again, and another comes.
// Where it is killed and its endpoint removed, nothing fails that is asked once that is gone. Where the
// endpoint is removed before it is asked to end, nothing fails at all.
TEST_F(Replicas, ComeAndGoUnderLoad) {
  constexpr int rounds = 6, a_second = ConversionLoad::per_second;
  auto older = start();
  auto younger = start();
  ConversionLoad load(cluster, namespace_name);
  ASSERT_TRUE(load.wait_for(a_second));
  std::size_t of_kills = 0;
  int late = 0, of_drains = 0;
  for (int round = 0; round < rounds; ++round) {
    const bool kill = round % 2 == 0;
    const std::size_t before = load.failures().size();
    EXPECT_GT(balancer.connections(older->port()), 0);
    if (!kill) balancer.remove(older->port());
    const int status = older->end(kill ? SIGKILL : SIGTERM);
    EXPECT_EQ(WIFSIGNALED(status) ? WTERMSIG(status) : 0, kill ? SIGKILL : 0) << older->text();
    if (kill) balancer.remove(older->port());
    // Gone is an endpoint when the API server, too, has closed its connections to it.
    ASSERT_TRUE(balancer.wait_until_unused(older->port(), 60s));
    const auto gone = std::chrono::steady_clock::now();
    ASSERT_TRUE(load.wait_for(a_second));
    const auto failures = load.failures();
    for (std::size_t i = before; i < failures.size(); ++i) {
      const bool is_late = failures[i].begun >= gone;
      late += kill && is_late ? 1 : 0;
      of_drains += kill ? 0 : 1;
      of_kills += kill ? 1 : 0;
      EXPECT_TRUE(kill && !is_late) << "round " << round << (is_late ? ", late: " : ": ")
                                    << failures[i].message;
    }
    older = std::move(younger);
    younger = start();
  }
  load.end();
  std::printf(
      "%d conversions in %.0f s (%.0f/s), %d answered 429. Of %d kills, %zu failed, %d of these begun after "
      "the "
      "endpoint was gone; of as many drained, %d\n",
      load.done(), load.took().count(), load.done() / load.took().count(), load.busy(), rounds / 2, of_kills,
      late, of_drains);
  EXPECT_GE(load.done(), load.took().count() * a_second / 10);
}

}  // namespace
}  // namespace fairway::conformance
