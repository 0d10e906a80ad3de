// SPDX-License-Identifier: Apache-2.0

// The log of the objects that an informer leaves out.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "base/clock.h"
#include "k8s/object.h"

namespace fairway::kube {

/// Logs quarantined objects that an informer leaves out: the first, and from then on one a minute with the
/// number of those that were not logged. Safe from all threads.
class LeftOutLog {
 public:
  /// `resource`: what the informer is of, for the log. `clock` must outlive this.
  LeftOutLog(std::string resource, const Clock& clock) : resource_(std::move(resource)), clock_(clock) {}

  void record(const k8s::Key& key);
  /// Returns how many objects the next line has to count.
  std::uint64_t not_logged() const;

 private:
  const std::string resource_;
  const Clock& clock_;
  mutable std::mutex mutex_;
  SteadyTime next_ = {};
  std::uint64_t not_logged_ = 0;
};

}  // namespace fairway::kube
