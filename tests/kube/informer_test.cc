// Informers against an API server that fails in every way: what they know in the end is what a fresh list
// says, and what their handlers were told adds up to it.
#include "kube/informer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <random>

#include "k8s/core.h"
#include "kube/churning_api.h"

namespace fairway::kube {
namespace {

using namespace std::chrono_literals;
using testing::ChurningApi;
using testing::Faults;

std::shared_ptr<Client> client_for(const ChurningApi& api) {
  ClientConfig config;
  config.server = api.url();
  ClientSettings settings;
  settings.max_retries = 0;
  auto client = Client::create(std::move(config), std::move(settings));
  if (!client) throw std::runtime_error(client.error().message);
  return *std::move(client);
}

/// So short that a test goes through many of them.
ReflectorTimings short_timings() {
  ReflectorTimings timings;
  timings.backoff = {.first = 1ms, .most = 8ms, .reset_after = 100ms};
  timings.watch_least = 200ms;
  timings.watch_most = 400ms;
  timings.watch_margin = 100ms;
  timings.watch_too_short = 20ms;
  return timings;
}

/// What a handler was told, checked as it comes.
class Account {
 public:
  TypedHandler<k8s::ConfigMap> handler() {
    return {.added = [this](const auto& object, bool) { added(*object); },
            .updated = [this](const auto& before, const auto& now) { updated(*before, *now); },
            .deleted = [this](const auto& last) { deleted(*last); }};
  }
  std::map<std::string, std::string> state() const {
    const std::lock_guard lock(mutex_);
    return state_;
  }
  std::string faults() const {
    const std::lock_guard lock(mutex_);
    return faults_;
  }
  /// Waits until an object is known in this version or a later one.
  bool wait_for(const std::string& key, std::uint64_t version) {
    return wait([&](const auto& state) {
      const auto found = state.find(key);
      return found != state.end() && std::stoull(found->second) >= version;
    });
  }
  bool wait(const std::function<bool(const std::map<std::string, std::string>&)>& reached) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 20s, [&] { return reached(state_); });
  }

 private:
  static std::string version(const k8s::Dynamic& object) { return std::string(object.resource_version()); }

  void added(const k8s::ConfigMap& object) {
    const std::lock_guard lock(mutex_);
    if (!state_.emplace(object.key().to_string(), version(object)).second) fault("added twice", object);
    changed_.notify_all();
  }
  void updated(const k8s::ConfigMap& before, const k8s::ConfigMap& now) {
    const std::lock_guard lock(mutex_);
    const auto found = state_.find(now.key().to_string());
    if (found == state_.end() || found->second != version(before)) return fault("updated from another", now);
    if (version(before) == version(now)) fault("updated without a change", now);
    if (before.uid() != now.uid()) fault("updated to another object", now);
    found->second = version(now);
    changed_.notify_all();
  }
  void deleted(const k8s::ConfigMap& last) {
    const std::lock_guard lock(mutex_);
    if (state_.erase(last.key().to_string()) == 0) fault("deleted what was not there", last);
    changed_.notify_all();
  }
  void fault(const std::string& what, const k8s::Dynamic& object) {
    if (faults_.empty()) faults_ = what + ": " + object.key().to_string() + " " + version(object);
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::string> state_;
  std::string faults_;
};

std::map<std::string, std::string> state_of(const Informer<k8s::ConfigMap>& informer) {
  std::map<std::string, std::string> state;
  for (const auto& object : informer.list()) state[object->key().to_string()] = object->resource_version();
  return state;
}

/// By index as by a look at all of them.
void expect_indexes(const Informer<k8s::ConfigMap>& informer) {
  std::map<std::string, std::vector<std::string>> expected;
  for (const auto& object : informer.list()) {
    expected[std::string(object->data().find("text").value_or(""))].push_back(object->key().to_string());
  }
  for (const char* value : {"0", "1", "2", "3", "none"}) {
    std::vector<std::string> found;
    for (const auto& object : informer.by_index("text", value)) found.push_back(object->key().to_string());
    EXPECT_EQ(found, expected[value]) << value;
  }
  std::size_t in_namespaces = 0;
  for (const char* name : {"a", "b", "c", "zz"}) {
    for (const auto& object : informer.list(name)) {
      EXPECT_EQ(object->namespace_name(), name);
      EXPECT_EQ(informer.find(object->key()), object);
      ++in_namespaces;
    }
  }
  EXPECT_EQ(in_namespaces, informer.size());
}

struct Churn {
  std::uint64_t seed = 0;
  bool streaming = false;
};

class InformerChurnTest : public ::testing::TestWithParam<Churn> {};

TEST_P(InformerChurnTest, KnowsInTheEndWhatAFreshListSaysAndTellsOfIt) {
  const auto [seed, streaming] = GetParam();
  const Faults faults{.request = 0.15, .event = 0.08, .delay = 0.2, .stale = true, .streaming = streaming};
  ChurningApi api(seed, faults);
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t count) { return random() % count; };
  const auto name = [&] { return "cm-" + std::to_string(below(40)); };
  const auto space = [&] { return std::string(1, static_cast<char>('a' + below(3))); };
  const auto write = [&] {
    if (below(3) == 0) {
      api.remove(space(), name());
    } else {
      api.put(space(), name(), std::to_string(below(4)));
    }
  };
  for (int i = 0; i < 60; ++i) write();

  Account early, late;
  Informers informers(client_for(api),
                      {.streaming_list = streaming,
                       .most_waiting = 8,
                       .timings = short_timings(),
                       .random = [value = 0.0]() mutable { return value = value < 0.9 ? value + 0.1 : 0; }});
  auto informer = informers.get<k8s::ConfigMap>();
  informer.add_index("text", [](const k8s::ConfigMap& object) -> std::vector<std::string> {
    return {std::string(object.data().find("text").value_or(""))};
  });
  informer.add_handler(early.handler());
  informers.start();
  for (int round = 0; round < 12; ++round) {
    for (std::uint64_t i = 0, count = 1 + below(25); i < count; ++i) write();
    switch (below(8)) {
      case 0:
        api.compact();
        break;
      case 1:
        api.end_watches(below(2) == 0);
        break;
      case 2:
        api.compact();
        api.end_watches(true);
        break;
      case 3:
        api.restart();
        break;
      case 4:
        api.bookmark();
        break;
      default:
        break;
    }
    if (round == 5) informer.add_handler(late.handler());
    const std::uint64_t version = api.put("zz", "pace", "");
    api.release();
    ASSERT_TRUE(early.wait_for("zz/pace", version)) << "round " << round;
  }
  api.set_faults({.streaming = streaming});
  const std::uint64_t version = api.put("zz", "end", "");
  ASSERT_TRUE(early.wait_for("zz/end", version));
  ASSERT_TRUE(late.wait_for("zz/end", version));
  informers.stop();
  EXPECT_EQ(early.faults(), "");
  EXPECT_EQ(late.faults(), "");
  EXPECT_EQ(state_of(informer), api.state());
  EXPECT_EQ(early.state(), api.state());
  EXPECT_EQ(late.state(), api.state());
  expect_indexes(informer);
}

std::vector<Churn> seeds() {
  std::vector<Churn> result;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) result.push_back({seed, seed % 3 == 0});
  return result;
}

INSTANTIATE_TEST_SUITE_P(Seeds, InformerChurnTest, ::testing::ValuesIn(seeds()), [](const auto& info) {
  return std::to_string(info.param.seed) + (info.param.streaming ? "_streaming" : "");
});

}  // namespace
}  // namespace fairway::kube
