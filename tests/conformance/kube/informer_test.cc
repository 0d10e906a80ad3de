// SPDX-License-Identifier: Apache-2.0

// Informers of a real API server that is killed again and again, or is reached by a link that fails, while
// objects come and go.
#include <atomic>
#include <csignal>
#include <cstdio>
#include <map>
#include <mutex>
#include <random>
#include <thread>

#include "base/file.h"
#include "conformance/kube/faulty_link.h"
#include "conformance/kube/on_cluster.h"
#include "kube/client/pages.h"
#include "kube/informer/informer.h"
#include "support/eventually.h"
#include "support/process.h"

namespace fairway::conformance {
namespace {

using namespace std::chrono_literals;

/// A set of objects: versions by name.
using Versions = std::map<std::string, std::string>;

/// The objects by the notifications of a handler.
class Told {
 public:
  kube::TypedHandler<k8s::ConfigMap> handler() {
    kube::TypedHandler<k8s::ConfigMap> handler;
    handler.added = [this](const auto& now, bool) {
      const std::lock_guard lock(mutex_);
      if (!versions_.emplace(now->name(), now->resource_version()).second)
        blame("added twice: " + std::string(now->name()));
    };
    handler.updated = [this](const auto&, const auto& now) {
      const std::lock_guard lock(mutex_);
      if (!versions_.contains(std::string(now->name()))) blame("never added: " + std::string(now->name()));
      versions_[std::string(now->name())] = now->resource_version();
    };
    handler.deleted = [this](const auto& last) {
      const std::lock_guard lock(mutex_);
      if (versions_.erase(std::string(last->name())) == 0) blame("gone twice: " + std::string(last->name()));
    };
    return handler;
  }
  Versions versions() const {
    const std::lock_guard lock(mutex_);
    return versions_;
  }
  /// The first notification that is impossible; empty: there was none.
  std::string fault() const {
    const std::lock_guard lock(mutex_);
    return fault_;
  }

 private:
  void blame(const std::string& what) {
    if (fault_.empty()) fault_ = what;
  }

  mutable std::mutex mutex_;
  Versions versions_;
  std::string fault_;
};

class InformersOfAServer : public OnCluster {
 protected:
  static constexpr int count = 10'000, writers = 4, restarts = 3;

  /// Runs `work(i)` for 0 to n - 1 on several threads.
  static void together(int n, const std::function<void(int)>& work) {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < writers; ++thread) {
      threads.emplace_back([&, thread] {
        for (int i = thread; i < n; i += writers) work(i);
      });
    }
  }
  Versions fresh_list() {
    Versions versions;
    const auto list = kube::list_all(*client, config_maps, namespace_name);
    EXPECT_OK(list);
    for (const auto& item : list->items) versions[std::string(item.name())] = item.resource_version();
    return versions;
  }
  /// Waits until store and handlers have the expected objects: reconnecting backs off for up to half a
  /// minute.
  static void expect_equal(const kube::Informer<k8s::ConfigMap>& informer, const Told& told,
                           const Versions& expected) {
    const auto stored = [&] {
      Versions versions;
      for (const auto& one : informer.cached()) versions[std::string(one->name())] = one->resource_version();
      return versions;
    };
    fairway::testing::eventually([&] { return stored() == expected && told.versions() == expected; });
    EXPECT_EQ(stored(), expected);
    EXPECT_EQ(told.versions(), expected);
    EXPECT_EQ(told.fault(), "");
  }
  void stays_equal(bool streaming_list);
  void stays_equal_over_a_faulty_link(bool streaming_list, unsigned seed);

  /// Creates, changes and deletes objects on several threads until it is ended.
  class Churn {
   public:
    Churn(const InformersOfAServer& test, int objects) {
      for (int writer = 0; writer < writers; ++writer)
        threads_.emplace_back([this, &test, objects, writer] { work(test, objects, writer); });
    }
    void end() {
      enough_ = true;
      threads_.clear();
    }
    int writes() const { return writes_; }

   private:
    void work(const InformersOfAServer& test, int objects, int writer) {
      std::mt19937 random(static_cast<unsigned>(writer));
      const auto client = test.cluster.client("admin", {.max_retries = 0});
      for (int i = 0; !enough_; ++i) {
        const std::string name = "c-" + std::to_string(random() % static_cast<unsigned>(objects));
        // While the server is away all of these fail; whatever came of them, the server knows.
        kube::ApiResult<k8s::Dynamic> written = k8s::Dynamic();
        switch (random() % 4) {
          case 0:
            written = client->remove(config_maps, test.key(name), {}, Limits::within(Clock::system(), 2s));
            break;
          case 1:
            written =
                client->create(config_maps, test.config_map(name), {}, Limits::within(Clock::system(), 2s));
            break;
          default:
            written = client->patch(config_maps, test.key(name), kube::PatchType::merge,
                                    json::Object{{"data", {{"n", std::to_string(i)}}}}, {}, {},
                                    Limits::within(Clock::system(), 2s));
        }
        if (written) ++writes_;
        if (!written && !written.error().is_answer()) std::this_thread::sleep_for(20ms);
      }
    }

    std::atomic<bool> enough_ = false;
    std::atomic<int> writes_ = 0;
    std::vector<std::jthread> threads_;
  };
};

void InformersOfAServer::stays_equal(bool streaming_list) {
  together(count,
           [&](int i) { EXPECT_OK(client->create(config_maps, config_map("c-" + std::to_string(i)))); });
  kube::Informers informers(cluster.client(), {.streaming_list = streaming_list});
  auto informer = informers.get<k8s::ConfigMap>({.namespaces = {namespace_name}});
  // What handlers were told comes to the same as what the store holds.
  Told told;
  informer.add_handler(told.handler());
  const auto begun = std::chrono::steady_clock::now();
  informers.start();
  ASSERT_TRUE(informers.wait_for_sync(60s))
      << (informers.unsynced().empty() ? "" : informers.unsynced().front());
  const std::chrono::duration<double> synced = std::chrono::steady_clock::now() - begun;

  Churn churn(*this, count);
  {
    for (int i = 0; i < restarts; ++i) {
      std::this_thread::sleep_for(1s);
      cluster.restart_api_server(i % 2 == 0 ? SIGKILL : SIGTERM);
      // What was written while nobody listened is forgotten by etcd: the list must be read anew.
      if (i == 1) cluster.compact();
    }
    std::this_thread::sleep_for(1s);
    churn.end();
  }
  const Versions expected = fresh_list();
  expect_equal(informer, told, expected);
  std::printf(
      "%d objects in a synced store after %.2f s; equal to a list of %zu after %d writes and %d restarts\n",
      count, synced.count(), expected.size(), churn.writes(), restarts);
}

/// `kubectl proxy`: the API server by plain HTTP, so that its answers can be cut at any byte.
class KubectlProxy {
 public:
  explicit KubectlProxy(const Cluster& cluster)
      : output_(folder_ / "output"),
        process_({cluster.programs() + "/kubectl", "--kubeconfig", cluster.kubeconfig().string(), "proxy",
                  "--port=0"},
                 output_) {
    const std::string before_port = "Starting to serve on 127.0.0.1:";
    for (const auto until = std::chrono::steady_clock::now() + 60s; port_ == 0;) {
      const std::string said = read_file(output_).value_or("");
      const auto at = said.find(before_port);
      if (at != std::string::npos && said.find('\n', at) != std::string::npos)
        port_ = static_cast<std::uint16_t>(std::stoi(said.substr(at + before_port.size())));
      if (!process_.running() || std::chrono::steady_clock::now() > until)
        throw std::runtime_error("kubectl proxy does not serve: " + said);
      std::this_thread::sleep_for(10ms);
    }
  }
  std::uint16_t port() const { return port_; }

 private:
  testing::TempDirectory folder_;
  const std::string output_;
  testing::Process process_;
  std::uint16_t port_ = 0;
};

void InformersOfAServer::stays_equal_over_a_faulty_link(bool streaming_list, unsigned seed) {
  constexpr int objects = 200, cuts = 300, least_writes = 2'000;
  together(objects,
           [&](int i) { EXPECT_OK(client->create(config_maps, config_map("c-" + std::to_string(i)))); });
  const KubectlProxy proxy(cluster);
  FaultyLink link(proxy.port(), seed);
  kube::ClientConfig config;
  config.server = link.url();
  const auto made = kube::Client::create(config, {.max_retries = 0});
  ASSERT_OK(made);
  kube::ReflectorTimings timings;
  timings.backoff = {.first = 5ms, .longest = 50ms, .jitter = 1};
  timings.short_watch = 0ms;
  kube::Informers informers(*made, {.streaming_list = streaming_list, .timings = timings});
  auto informer = informers.get<k8s::ConfigMap>({.namespaces = {namespace_name}});
  Told told;
  informer.add_handler(told.handler());
  informers.start();
  Churn churn(*this, objects);
  fairway::testing::eventually(
      [&] { return link.cuts() >= cuts && churn.writes() >= least_writes && informer.has_synced(); });
  EXPECT_GE(link.cuts(), cuts);
  EXPECT_TRUE(informer.has_synced());
  churn.end();
  link.heal();
  const Versions expected = fresh_list();
  expect_equal(informer, told, expected);
  std::printf("equal to a list of %zu after %d writes and %d connections that were cut\n", expected.size(),
              churn.writes(), link.cuts());
}

TEST_F(InformersOfAServer, MissNothingOverALinkThatFails) {
  stays_equal_over_a_faulty_link(false, 1);
}
TEST_F(InformersOfAServer, MissNothingOverALinkThatFailsWhenTheyBeginWithAWatch) {
  stays_equal_over_a_faulty_link(true, 2);
}

TEST_F(InformersOfAServer, MissNothingAndInventNothing) {
  stays_equal(false);
}
TEST_F(InformersOfAServer, MissNothingWhenTheyBeginWithAWatch) {
  stays_equal(true);
}

}  // namespace
}  // namespace fairway::conformance
