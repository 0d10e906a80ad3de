// SPDX-License-Identifier: Apache-2.0

// Answers to the questions of risks, on disk, for a restart.
#pragma once

#include <chrono>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "risk/rounds.h"

namespace fairway::operators {

/// One file with the answers, each with a hash of the whole risk, the cluster and the monitoring stack that
/// was asked. A failed read or write is at most logged, as the operator works without the file. Without a
/// folder nothing is kept.
class VerdictStore {
 public:
  /// Creates it. `asked` names the monitoring stack. `longest` is the age at which an answer counts no more;
  /// 0: at any age.
  VerdictStore(std::filesystem::path folder, std::string asked, std::chrono::nanoseconds longest)
      : folder_(std::move(folder)), asked_(std::move(asked)), longest_(longest) {}

  /// Gives the answers that are kept of these updates to `rounds`. None counts if one is from the future: the
  /// clock was set back. Returns how many there are.
  std::size_t restore(std::string_view cluster_id, std::span<const risk::ConditionalUpdate> updates,
                      WallTime now, risk::Rounds& rounds) const;
  /// Stores the answers to the questions of these updates, if they have changed.
  void write(std::string_view cluster_id, std::span<const risk::ConditionalUpdate> updates,
             risk::Rounds& rounds);

 private:
  std::string key_of(std::string_view cluster_id, const graph::Risk& risk) const;

  std::filesystem::path folder_;
  std::string asked_;
  std::chrono::nanoseconds longest_;
  std::string written_;
};

}  // namespace fairway::operators
