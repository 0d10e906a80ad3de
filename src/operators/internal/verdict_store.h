// SPDX-License-Identifier: Apache-2.0

// Answers to the questions of risks, on disk, for a restart.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "risk/rounds.h"

namespace fairway::operators {

/// Two files: the answers, each with a hash of the whole risk, the cluster and the monitoring stack that was
/// asked, and the time of the last write or poll: if that is later than now, the clock was set back, nobody
/// knows how old the answers are, and none counts. A failed read or write is at most logged, as the operator
/// works without the file. Without a folder nothing is kept.
class VerdictStore {
 public:
  /// Creates it. `asked` names the monitoring stack; the intervals of `rules` say how long an answer counts.
  VerdictStore(std::filesystem::path folder, std::string asked, const risk::PollingRules& rules)
      : folder_(std::move(folder)), asked_(std::move(asked)), rules_(rules) {}

  /// Returns the age at which an answer that was kept counts no more: a little more than a running operator
  /// would wait until it asks again, with so many questions, and at most a day.
  static std::chrono::nanoseconds longest_age(const risk::PollingRules& rules, std::size_t questions);

  /// Stores the time. If the clock was set back, what is kept is removed; if that was while this runs,
  /// nothing more is kept, as what is known has times of both clocks.
  void refresh(WallTime now);
  /// Gives the answers that are kept of these updates to `rounds`. None counts if one is from the future.
  /// Returns how many there are.
  std::size_t restore(std::string_view cluster_id, std::span<const risk::ConditionalUpdate> updates,
                      WallTime now, risk::Rounds& rounds);
  /// Stores the answers to the questions of these updates, if they have changed.
  void write(std::string_view cluster_id, std::span<const risk::ConditionalUpdate> updates, WallTime now,
             risk::Rounds& rounds);

 private:
  std::string key_of(std::string_view cluster_id, const graph::Risk& risk) const;

  std::filesystem::path folder_;
  std::string asked_;
  risk::PollingRules rules_;
  std::string written_;
  std::optional<WallTime> refreshed_;
  bool is_off_ = false;  ///< true once the clock was set back while this ran
};

}  // namespace fairway::operators
