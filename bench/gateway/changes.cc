// SPDX-License-Identifier: Apache-2.0

#include "changes.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace fairway::bench {

namespace {

/// Interval between the beginnings of two requests.
constexpr auto pace = 2ms;
/// Time for which requests go on once a change has been seen in status and traffic.
constexpr auto aftermath = 20ms;

/// Sends requests to one route after the other.
class Prober {
 public:
  struct Asked {
    SteadyTime began, ended;
    int version;
  };

  explicit Prober(const Cluster& cluster)
      : thread_([this, &cluster](const std::stop_token& stop) {
          SteadyTime next = now();
          while (!stop.stop_requested()) {
            next = std::max(next + pace, now());
            std::this_thread::sleep_until(next);
            const int route = target_;
            const SteadyTime began = now();
            const int version = cluster.version(route);
            const std::lock_guard lock(mutex_);
            if (route == target_) asked_.push_back({began, now(), version});
          }
        }) {}

  void aim_at(int route) {
    const std::lock_guard lock(mutex_);
    target_ = route;
    asked_.clear();
  }
  /// Returns all requests since `aim_at`.
  std::vector<Asked> asked() {
    const std::lock_guard lock(mutex_);
    return asked_;
  }
  /// Returns the time at which the first answer of a version arrived; std::nullopt: there is none.
  std::optional<SteadyTime> since(int version) {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(asked_, version, &Asked::version);
    return found == asked_.end() ? std::nullopt : std::optional(found->ended);
  }

 private:
  std::mutex mutex_;
  std::vector<Asked> asked_;
  std::atomic<int> target_ = 0;
  std::jthread thread_;
};

}  // namespace

Changes change_in_turn(Cluster& cluster, Statuses& statuses, int routes, int changes, int first) {
  Changes seen;
  Prober prober(cluster);
  for (int number = 1; number <= changes; ++number) {
    const int route = changed_route(number, routes), version = first + number - 1;
    prober.aim_at(route);
    std::this_thread::sleep_for(aftermath);
    const SteadyTime changed = now();
    const std::int64_t generation = cluster.change(route, version);
    std::optional<SteadyTime> in_traffic, in_status;
    cluster.wait_until("change " + std::to_string(number), [&] {
      in_status = statuses.since(route, generation);
      in_traffic = prober.since(version);
      return in_status && in_traffic;
    });
    std::this_thread::sleep_for(aftermath);
    seen.to_traffic.push_back(milliseconds(*in_traffic - changed));
    seen.to_status.push_back(milliseconds(*in_status - changed));
    const auto asked = prober.asked();
    seen.too_early += std::ranges::any_of(
        asked, [&](const auto& one) { return one.began > *in_status && one.version != version; });
    seen.failed += static_cast<int>(std::ranges::count(asked, -1, &Prober::Asked::version));
  }
  return seen;
}

}  // namespace fairway::bench
