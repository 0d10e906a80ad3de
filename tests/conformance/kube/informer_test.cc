// Informers of a real API server that is killed again and again while objects come and go.
#include <atomic>
#include <csignal>
#include <cstdio>
#include <map>
#include <mutex>
#include <random>
#include <thread>

#include "conformance/kube/on_cluster.h"
#include "kube/informer.h"
#include "kube/pages.h"

namespace fairway::conformance {
namespace {

using namespace std::chrono_literals;

/// What a set of objects is, by name and version.
using Versions = std::map<std::string, std::string>;

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
  void stays_equal(bool streaming_list);
};

void InformersOfAServer::stays_equal(bool streaming_list) {
  together(count,
           [&](int i) { EXPECT_OK(client->create(config_maps, config_map("c-" + std::to_string(i)))); });
  kube::Informers informers(cluster.client(), {.streaming_list = streaming_list});
  auto informer = informers.get<k8s::ConfigMap>({.namespace_name = namespace_name});
  // What handlers were told comes to the same as what the store holds.
  std::mutex mutex;
  Versions told;
  std::string fault;
  const auto blame = [&](const std::string& what) {
    if (fault.empty()) fault = what;
  };
  kube::TypedHandler<k8s::ConfigMap> handler;
  handler.added = [&](const auto& now, bool) {
    const std::lock_guard lock(mutex);
    if (!told.emplace(now->name(), now->resource_version()).second)
      blame("added twice: " + std::string(now->name()));
  };
  handler.updated = [&](const auto&, const auto& now) {
    const std::lock_guard lock(mutex);
    if (!told.contains(std::string(now->name()))) blame("never added: " + std::string(now->name()));
    told[std::string(now->name())] = now->resource_version();
  };
  handler.deleted = [&](const auto& last) {
    const std::lock_guard lock(mutex);
    if (told.erase(std::string(last->name())) == 0) blame("gone twice: " + std::string(last->name()));
  };
  informer.add_handler(handler);
  const auto begun = std::chrono::steady_clock::now();
  informers.start();
  ASSERT_TRUE(informers.wait_for_sync(60s))
      << (informers.unsynced().empty() ? "" : informers.unsynced().front());
  const std::chrono::duration<double> synced = std::chrono::steady_clock::now() - begun;

  std::atomic<bool> enough = false;
  std::atomic<int> writes = 0;
  {
    std::vector<std::jthread> churn;
    for (int writer = 0; writer < writers; ++writer) {
      churn.emplace_back([&, writer] {
        std::mt19937 random(static_cast<unsigned>(writer));
        const auto own = cluster.client("admin", {.max_retries = 0});
        for (int i = 0; !enough; ++i) {
          const std::string name = "c-" + std::to_string(random() % count);
          // While the server is away all of these fail; whatever came of them, the server knows.
          kube::ApiResult<k8s::Dynamic> written = k8s::Dynamic();
          switch (random() % 4) {
            case 0:
              written = own->remove(config_maps, key(name), {}, {.timeout = 2s});
              break;
            case 1:
              written = own->create(config_maps, config_map(name), {}, {.timeout = 2s});
              break;
            default:
              written =
                  own->patch(config_maps, key(name), kube::PatchType::merge,
                             json::Object{{"data", {{"n", std::to_string(i)}}}}, {}, {}, {.timeout = 2s});
          }
          if (written) ++writes;
          if (!written && !written.error().is_answer()) std::this_thread::sleep_for(20ms);
        }
      });
    }
    for (int i = 0; i < restarts; ++i) {
      std::this_thread::sleep_for(1s);
      cluster.restart_api_server(i % 2 == 0 ? SIGKILL : SIGTERM);
      // What was written while nobody listened is forgotten by etcd: the list must be read anew.
      if (i == 1) cluster.compact();
    }
    std::this_thread::sleep_for(1s);
    enough = true;
  }
  const Versions expected = fresh_list();
  const auto stored = [&] {
    Versions versions;
    for (const auto& one : informer.list()) versions[std::string(one->name())] = one->resource_version();
    return versions;
  };
  const auto heard = [&] {
    const std::lock_guard lock(mutex);
    return told;
  };
  // Reconnecting backs off for up to half a minute.
  for (const auto until = std::chrono::steady_clock::now() + 60s;
       std::chrono::steady_clock::now() < until && (stored() != expected || heard() != expected);) {
    std::this_thread::sleep_for(50ms);
  }
  EXPECT_EQ(stored(), expected);
  EXPECT_EQ(heard(), expected);
  EXPECT_EQ(fault, "");
  std::printf(
      "%d objects in a synced store after %.2f s; equal to a list of %zu after %d writes and %d restarts\n",
      count, synced.count(), expected.size(), writes.load(), restarts);
}

TEST_F(InformersOfAServer, MissNothingAndInventNothing) {
  stays_equal(false);
}
TEST_F(InformersOfAServer, MissNothingWhenTheyBeginWithAWatch) {
  stays_equal(true);
}

}  // namespace
}  // namespace fairway::conformance
