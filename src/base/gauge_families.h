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
  Labels labels;
  double value = 0;
};

/// Gauge families that are replaced as a whole, for series that come and go: available versions, a
/// condition's reason. Safe from all threads.
class GaugeFamilies {
 public:
  /// The series of the family are `samples` from now on; those of before are gone. Of samples with equal
  /// labels the last one counts; a family without samples goes. How many there are is bounded by the caller,
  /// and `name` is that of no metric of the registry beside.
  void set(const std::string& name, const std::string& help, const std::vector<Sample>& samples);

  /// The exposition text (version 0.0.4): by name, then by labels.
  std::string text() const;

 private:
  struct Family {
    std::string help;
    std::map<Labels, double> series;
  };
  mutable std::mutex mutex_;
  std::map<std::string, Family> families_;
};

}  // namespace fairway::metrics
