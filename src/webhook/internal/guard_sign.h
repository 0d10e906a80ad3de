// SPDX-License-Identifier: Apache-2.0

// The sign that a guard is needed: an annotation of its configuration that replicas renew.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace fairway::webhook {

/// Sightings of the sign of one guard by one replica. The sign is a time, which no other replica compares
/// with its clock: it counts how long the text has not changed.
class GuardSign {
 public:
  /// The time after which a replica that needs the guard renews the sign, and the one after which it does not
  /// rely on the guard any more, as it cannot renew it.
  static constexpr std::chrono::seconds renewed_every{10}, stale_after{20};
  /// The time after which a replica that does not need the guard takes it for left behind. It is longer than
  /// one that needs it relies on it: `stale_after` and `GuardSightings::trusted_unread`.
  static constexpr std::chrono::seconds left_behind_after{60};

  /// Records the sign as it is now; empty: there is none.
  void record(std::string_view sign, SteadyTime now) {
    if (since_ && sign == sign_) return;
    is_first_ = !since_;
    sign_ = sign;
    since_ = now;
  }
  /// Forgets what was seen: the guard is gone.
  void reset() { since_.reset(); }

  /// Returns whether a replica that needs the guard has to renew it. It does so when it first sees it, which
  /// may be just before another replica removes it.
  bool is_due(SteadyTime now) const {
    return since_ && (is_first_ || sign_.empty() || now - *since_ >= renewed_every);
  }
  /// Returns whether nobody has renewed the sign, though this replica needs it.
  bool is_stale(SteadyTime now) const { return since_ && now - *since_ >= stale_after; }
  /// Returns whether nobody needs the guard any more.
  bool is_left_behind(SteadyTime now) const { return since_ && now - *since_ >= left_behind_after; }

 private:
  std::string sign_;
  std::optional<SteadyTime> since_;  ///< seen unchanged from then on
  bool is_first_ = false;            ///< no other sign was seen before it
};

}  // namespace fairway::webhook
