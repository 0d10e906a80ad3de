// SPDX-License-Identifier: Apache-2.0

// Objects that an update writes, as a watch sees them, and a controller of Deployments that rolls each out at
// once.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "apiserver/server_case.h"
#include "kube/client/client.h"

namespace fairway::operators::testing {

/// Value that a write gave an object.
struct SeenValue {
  std::int64_t resource_version = 0;
  std::string name, value;
};

/// Values of the ConfigMaps (`data.a`) and Deployments (image of the first container) of the namespace
/// `default`, from the start on. A Deployment is rolled out as soon as its generation has grown.
class SeenObjects {
 public:
  explicit SeenObjects(std::shared_ptr<kube::Client> client) : client_(std::move(client)) {
    threads_.emplace_back(
        [this](const std::stop_token& stop) { watch(apiserver::testing::config_maps, stop); });
    threads_.emplace_back(
        [this](const std::stop_token& stop) { watch(apiserver::testing::deployments, stop); });
  }

  /// Returns what was seen since the previous call, in the order of the writes, and forgets it. A write that
  /// gave no other value is seen, too, unless it was one of a Deployment's status alone.
  std::vector<SeenValue> take() {
    const std::scoped_lock lock(mutex_);
    std::vector<SeenValue> seen = std::exchange(seen_, {});
    std::ranges::sort(seen, {}, &SeenValue::resource_version);
    return seen;
  }
  /// Returns the resourceVersion of the newest object that was seen.
  std::int64_t newest(const std::string& name) const {
    const std::scoped_lock lock(mutex_);
    const auto found = newest_.find(name);
    return found == newest_.end() ? 0 : found->second;
  }

 private:
  void watch(const k8s::GroupVersionResource& resource, const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      [[maybe_unused]] const auto ended = client_->watch(
          resource, "default", {.initial_events = true, .timeout = std::chrono::hours(1)},
          [&](const k8s::WatchEvent& event) -> Result<void> {
            if (event.type == k8s::WatchEvent::Type::bookmark) return {};
            see(event);
            if (resource == apiserver::testing::deployments) roll_out(event.object);
            return {};
          },
          Limits::within(Clock::system(), std::chrono::hours(2), stop));
    }
  }
  void see(const k8s::WatchEvent& event) {
    const k8s::Dynamic& object = event.object;
    const std::string name(object.name());
    const std::int64_t version = std::stoll(std::string(object.resource_version()));
    const std::string value(event.type == k8s::WatchEvent::Type::deleted ? "deleted"
                            : object.find("spec") != nullptr
                                ? object.text("spec.template.metadata.annotations.version")
                                : object.text("data.a"));
    const std::scoped_lock lock(mutex_);
    // A watch that begins anew tells of all once more.
    if (version <= newest_[name]) return;
    newest_[name] = version;
    const bool is_status = object.find("spec") != nullptr && generations_[name] == object.generation();
    generations_[name] = object.generation();
    if (!is_status) seen_.push_back({version, name, value});
  }
  void roll_out(const k8s::Dynamic& object) {
    const json::Value* observed = object.find("status.observedGeneration");
    if (observed != nullptr && *observed == object.generation()) return;
    [[maybe_unused]] const auto patched = client_->patch(
        apiserver::testing::deployments, {"default", std::string(object.name())}, kube::PatchType::merge,
        json::Object{{"status", json::Object{{"observedGeneration", object.generation()},
                                             {"replicas", 1},
                                             {"updatedReplicas", 1},
                                             {"readyReplicas", 1},
                                             {"availableReplicas", 1}}}},
        "status");
  }

  std::shared_ptr<kube::Client> client_;
  mutable std::mutex mutex_;
  std::vector<SeenValue> seen_;
  std::map<std::string, std::int64_t> newest_, generations_;
  std::vector<std::jthread> threads_;
};

}  // namespace fairway::operators::testing
