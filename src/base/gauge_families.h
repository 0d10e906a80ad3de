// SPDX-License-Identifier: Apache-2.0

// Gauges whose series come and go; those of a metrics::Registry stay.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/metrics.h"

namespace fairway::metrics {

/// One series and its value.
struct Sample {
  Labels labels = {};
  double value = 0;
};

/// Gauge families that are replaced as a whole, for series that come and go: available versions, a
/// condition's reason. Safe from all threads.
class GaugeFamilies {
 public:
  /// Replaces the series of the family by `samples`. Among samples with equal labels the last one counts; a
  /// family without samples is removed. The caller bounds their number, and chooses a `name` that no metric
  /// of the registry has.
  void set(const std::string& name, const std::string& help, const std::vector<Sample>& samples);

  /// The exposition text (version 0.0.4): by name, then by labels.
  std::string text() const;

 private:
  struct Family {
    std::string help = {};
    std::map<Labels, double> series = {};
  };
  mutable std::mutex mutex_;
  std::map<std::string, Family> families_;
};

}  // namespace fairway::metrics
