// SPDX-License-Identifier: Apache-2.0

// The lines in the log about quarantined objects, at a bounded rate.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "conversion/quarantine.h"

namespace fairway::conversion {

/// Logs one quarantined object of a kind, and from then on one a minute, with the number of those that were
/// not logged: each list of a kind quarantines its objects anew. Safe from all threads.
class QuarantineLog {
 public:
  explicit QuarantineLog(const Clock& clock) : clock_(clock) {}

  void record(const std::vector<QuarantinedObject>& objects);

 private:
  struct Kind {
    SteadyTime next = {};
    std::uint64_t left_out = 0;
  };

  const Clock& clock_;
  std::mutex mutex_;
  std::map<std::string, Kind> kinds_;  ///< kinds by name: "Widget.widgets.example.com"
};

}  // namespace fairway::conversion
