// SPDX-License-Identifier: Apache-2.0

// The times at which statuses of routes became true.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "cluster.h"

namespace fairway::bench {

/// Watches routes: the generation of each for which Accepted is True, and the time since when.
class Statuses {
 public:
  explicit Statuses(kube::Client& client)
      : thread_([this, &client](const std::stop_token& stop) {
          while (!stop.stop_requested()) {
            [[maybe_unused]] const auto ended = client.watch(
                routes, "shop", {}, [this](const kube::WatchEvent& event) { return record(event.object); },
                {.stop = stop});
          }
        }) {}

  /// Returns the time at which the status was True for a generation or a later one; std::nullopt: it has not
  /// been.
  std::optional<SteadyTime> since(int route, std::int64_t generation) {
    const std::lock_guard lock(mutex_);
    const auto found = seen_.find(name_of(route));
    if (found == seen_.end() || found->second.generation < generation) return std::nullopt;
    return found->second.at;
  }
  /// Returns the latest time at which a route's status became True, once `count` routes have one;
  /// std::nullopt: they do not yet.
  std::optional<SteadyTime> since_all(std::size_t count) {
    const std::lock_guard lock(mutex_);
    if (seen_.size() < count) return std::nullopt;
    SteadyTime last{};
    for (const auto& [name, seen] : seen_) last = std::max(last, seen.at);
    return last;
  }

 private:
  struct Seen {
    std::int64_t generation = 0;
    SteadyTime at;
  };
  Result<void> record(const k8s::Dynamic& object) {
    const SteadyTime at = now();
    const auto parents = object.items("status.parents");
    if (parents.empty() ||
        testing::condition_of(parents.at(0), "Accepted", object.generation()) != "True Accepted")
      return {};
    const std::lock_guard lock(mutex_);
    Seen& seen = seen_[std::string(object.name())];
    if (seen.generation < object.generation()) seen = {object.generation(), at};
    return {};
  }

  std::mutex mutex_;
  std::map<std::string, Seen> seen_;
  std::jthread thread_;
};

}  // namespace fairway::bench
