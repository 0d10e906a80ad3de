// SPDX-License-Identifier: Apache-2.0

// Ends the creation of objects of a resource.
#pragma once

#include <atomic>
#include <mutex>
#include <shared_mutex>

namespace fairway::apiserver::resources {

/// A gate that is open until it is closed for good. Safe from all threads.
class CreationGate {
 public:
  bool is_closed() const { return closed_.load(std::memory_order_acquire); }

  /// Returns a lock to hold while an object is written; it owns nothing if the gate is closed.
  std::shared_lock<std::shared_mutex> enter() {
    if (is_closed()) return {};
    std::shared_lock lock(mutex_);
    if (is_closed()) return {};
    return lock;
  }

  /// Closes the gate, and waits for the objects that are being written. No object is created after it has
  /// returned.
  void close() {
    // First, so that those who come all the time do not hold it up.
    closed_.store(true, std::memory_order_release);
    const std::unique_lock wait(mutex_);
  }

 private:
  std::atomic<bool> closed_{false};
  std::shared_mutex mutex_;
};

}  // namespace fairway::apiserver::resources
