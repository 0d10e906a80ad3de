// SPDX-License-Identifier: Apache-2.0

// Calls for which objects have to be converted, at a steady rate.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "conformance/kube/cluster.h"
#include "conformance/kube/webhook_host.h"

namespace fairway::conformance {

/// Gizmos, stored in v1, which several threads patch in the two older versions, dry, from when this is made
/// until `end`.
class ConversionLoad {
 public:
  static constexpr int per_second = 200;

  /// Makes the objects first; throws if that fails.
  ConversionLoad(const Cluster& cluster, const std::string& namespace_name);

  /// A call that failed, except those that the API server refused for a while (429): after a change of a CRD
  /// it sets up the kind anew.
  struct Failure {
    std::chrono::steady_clock::time_point begun;
    std::string message;
  };

  int done() const { return done_; }
  int busy() const { return busy_; }
  std::vector<Failure> failures() const;
  /// Waits until so many more calls were made; false: not within a minute.
  bool wait_for(int more);
  void end();
  /// The time from the beginning until now, or until the end.
  std::chrono::duration<double> took() const;

 private:
  void call(const Cluster& cluster, const std::string& namespace_name, int thread,
            const std::stop_token& stop);

  std::chrono::steady_clock::time_point begun_, ended_;
  std::atomic<int> done_ = 0, busy_ = 0;
  mutable std::mutex mutex_;
  std::condition_variable one_more_;
  std::vector<Failure> failures_;  ///< guarded by `mutex_`
  std::vector<std::jthread> callers_;
};

}  // namespace fairway::conformance
