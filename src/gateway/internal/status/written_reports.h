// Which reports have been found written: most of them stay as they are from pass to pass.
#pragma once

#include <string>
#include <unordered_map>

#include "base/clock.h"
#include "gateway/internal/status/report.h"

namespace fairway::gateway {

/// Used by one thread.
class WrittenReports {
 public:
  /// `is_written`; what it has found is known as long as object and report are the same.
  bool contains(const Report& report, const Clock& clock);
  /// The object is there still: what is known of it stays.
  void keep(const k8s::Dynamic& object);
  /// Forgets what has been neither asked for nor kept since the last call.
  void forget_others();

 private:
  struct Known {
    /// Two objects of one address, one after the other, have two of them, where they are not held.
    std::string resource_version;
    Report report;
    bool is_used = true;
  };
  std::unordered_map<const k8s::Dynamic*, Known> known_;
};

}  // namespace fairway::gateway
