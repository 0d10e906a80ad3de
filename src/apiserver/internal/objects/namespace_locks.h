// SPDX-License-Identifier: Apache-2.0

// Locks of namespaces, under which their ResourceQuotas are charged and counted.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>

#include "apiserver/internal/storage/fair_mutex.h"

namespace fairway::apiserver::objects {

/// A lock for each namespace. Those who wait for one take turns, so that nobody waits for ever beside those
/// who come all the time. Safe from all threads.
class NamespaceLocks {
  struct Lock {
    /// Held by the next one in turn until it has `mutex`.
    storage::FairMutex turns;
    std::shared_mutex mutex;
  };

 public:
  /// A lock that is held until this is destroyed, on the same thread.
  class Held {
   public:
    Held(Held&&) = default;
    Held& operator=(Held&&) = delete;

   private:
    friend class NamespaceLocks;
    Held() = default;
    // First, as the others unlock it.
    std::shared_ptr<Lock> lock_;
    std::shared_lock<std::shared_mutex> shared_;
    std::unique_lock<std::shared_mutex> own_;
  };

  /// Waits for the lock of a namespace, and holds it together with others that share it.
  Held share(const std::string& namespace_name);
  /// Waits for the lock of a namespace, and holds it alone.
  Held own(const std::string& namespace_name);

 private:
  std::shared_ptr<Lock> lock_of(const std::string& namespace_name);

  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<Lock>> locks_;
  /// Number of locks at which those that nobody uses are removed.
  std::size_t most_locks_ = 0;
};

}  // namespace fairway::apiserver::objects
