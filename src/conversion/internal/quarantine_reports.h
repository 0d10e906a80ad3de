// SPDX-License-Identifier: Apache-2.0

// Reports of quarantined objects, at a bounded rate.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "conversion/quarantine.h"

namespace fairway::conversion {

/// Reports quarantined objects. Each list of a kind quarantines its objects anew, so one of a kind is logged,
/// and from then on one a minute, with the number of those that were not logged; and each object is reported
/// once an hour, and again when it has changed. Safe from all threads.
class QuarantineReports {
 public:
  /// The objects of one hour that are told apart; further ones are not reported.
  static constexpr std::size_t most_objects = 10'000;

  /// `on_quarantined` (may be empty) gets the objects that are reported. It must not block.
  QuarantineReports(const Clock& clock, OnQuarantined on_quarantined)
      : clock_(clock), on_quarantined_(std::move(on_quarantined)) {}

  /// Records the objects of a review. `unnamed`: how many there are besides, by kind; the log counts them.
  void record(const std::vector<QuarantinedObject>& objects,
              const std::map<std::string, std::uint64_t>& unnamed = {});
  /// Returns how many objects of a kind the next line in the log has to count.
  std::uint64_t not_logged(const std::string& kind);

 private:
  struct Kind {
    SteadyTime next = {};
    std::uint64_t left_out = 0;
  };
  struct Reported {
    std::string resource_version = {};
    SteadyTime until = {};
  };

  void log(const QuarantinedObject& object, SteadyTime now);
  bool is_due(const QuarantinedObject& object, SteadyTime now);

  const Clock& clock_;
  const OnQuarantined on_quarantined_;
  std::mutex mutex_;
  std::map<std::string, Kind> kinds_;         ///< kinds by name: "Widget.widgets.example.com"
  std::map<std::string, Reported> reported_;  ///< objects by uid
};

}  // namespace fairway::conversion
