// SPDX-License-Identifier: Apache-2.0

// A watch as its client sees it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kube/client/client.h"

namespace fairway::apiserver::testing {

/// A watch in a thread of its own, and the events that it has seen.
class Seen {
 public:
  Seen(std::shared_ptr<kube::Client> client, k8s::GroupVersionResource resource,
       const kube::WatchOptions& options, const std::string& in_namespace = "default")
      : thread_([this, client = std::move(client), resource = std::move(resource), options,
                 in_namespace](const std::stop_token& stop) {
          const auto ended = client->watch(
              resource, in_namespace, options,
              [this](const k8s::WatchEvent& event) -> Result<void> {
                std::string text = std::string(k8s::to_string(event.type)) + " " +
                                   std::string(event.object.name()) + event.object.text("data.a", "").data();
                if (event.type == k8s::WatchEvent::Type::bookmark) {
                  text = event.ends_initial_events() ? "END" : "BOOKMARK";
                }
                const std::scoped_lock lock(mutex_);
                texts_.push_back(std::move(text));
                versions_.push_back(std::stoll(std::string(event.object.resource_version())));
                changed_.notify_all();
                return {};
              },
              Limits::within(Clock::system(), std::chrono::hours(1), stop));
          const std::scoped_lock lock(mutex_);
          end_ = ended                       ? "ended"
                 : ended.error().is_answer() ? std::string(ended.error().status.reason())
                                             : "broken";
          changed_.notify_all();
        }) {}

  /// Waits for `count` events, or the end. Returns the events as "ADDED name".
  std::vector<std::string> events(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(60),
                      [&] { return texts_.size() >= count || !end_.empty(); });
    return texts_;
  }
  std::vector<std::int64_t> versions() {
    const std::scoped_lock lock(mutex_);
    return versions_;
  }
  /// Waits for the end. Returns "ended", or the reason of the error.
  std::string end() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(60), [&] { return !end_.empty(); });
    return end_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> texts_;
  std::vector<std::int64_t> versions_;
  std::string end_;
  std::jthread thread_;
};

}  // namespace fairway::apiserver::testing
