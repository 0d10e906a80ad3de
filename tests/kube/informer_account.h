// SPDX-License-Identifier: Apache-2.0

// Helpers for tests of informers.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>

#include "k8s/core.h"
#include "kube/churning_api.h"
#include "kube/informer/informer.h"

namespace fairway::kube::testing {

inline std::shared_ptr<Client> client_for(const ChurningApi& api, Clock* clock = nullptr) {
  ClientConfig config;
  config.server = api.url();
  ClientSettings settings;
  settings.max_retries = 0;
  settings.clock = clock;
  auto client = Client::create(std::move(config), std::move(settings));
  if (!client) throw std::runtime_error(client.error().message);
  return *std::move(client);
}

/// Returns timings so short that a test goes through many of them.
inline ReflectorTimings short_timings() {
  using std::chrono_literals::operator""ms;
  ReflectorTimings timings;
  timings.backoff = {.first = 1ms, .longest = 8ms, .jitter = 1, .reset_after = 100ms};
  timings.min_watch_timeout = 200ms;
  timings.max_watch_timeout = 400ms;
  timings.watch_timeout_margin = 100ms;
  timings.short_watch = 20ms;
  return timings;
}

/// Records the calls of a handler, and checks each of them.
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
    return changed_.wait_for(lock, std::chrono::seconds(60), [&] { return reached(state_); });
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

}  // namespace fairway::kube::testing
