// SPDX-License-Identifier: Apache-2.0

// A cache of the reports that are known to be written: most of them stay the same from pass to pass.
#pragma once

#include <string>
#include <unordered_map>

#include "base/clock.h"
#include "gateway/internal/status/report.h"

namespace fairway::gateway {

/// Used by one thread.
class WrittenReports {
 public:
  /// Returns `is_written`. A true result is cached for as long as object and report are the same.
  bool contains(const Report& report, const Clock& clock);
  /// Keeps the cached result for an object.
  void keep(const k8s::Dynamic& object);
  /// Forgets the objects that have been neither looked up nor kept since the last call.
  void forget_others();

 private:
  struct Cached {
    /// Tells an object from a later one at the same address, if they are not held.
    std::string resource_version;
    Report report;
    bool is_used = true;
  };
  std::unordered_map<const k8s::Dynamic*, Cached> cache_;
};

}  // namespace fairway::gateway
