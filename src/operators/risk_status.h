// SPDX-License-Identifier: Apache-2.0

// The state of every risk of the available updates (ClusterVersion holds what fits).
#pragma once

#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "http/message.h"
#include "operators/retrieval.h"
#include "risk/rounds.h"

namespace fairway::operators {

/// The available updates and the verdicts on their risks. A view.
struct RiskStatus {
  const AvailableUpdates* available = nullptr;  ///< the available updates; nullptr: there are none.
  std::span<const risk::UpdateVerdict> verdicts;
  WallTime at;
};

/// A risk, identified by name and rules: several updates may have it.
struct KnownRisk {
  const graph::Risk* risk = nullptr;
  const risk::RiskVerdict* verdict = nullptr;
  std::vector<const std::string*> versions;  ///< the highest first

  /// Returns "matches", "does not match", "waiting" (for its first evaluation) or "failed".
  std::string_view word() const;
};

/// Returns the risks, in the order of the updates. They point into the data that `status` views.
std::vector<KnownRisk> known_risks(const RiskStatus& status);

/// Returns the output of `fairway risk status -o json` (docs/operator.md).
std::string to_json_text(const RiskStatus& status);

/// Largest size of the risks in `risks_part_text`, in bytes.
inline constexpr std::size_t max_risks_part_bytes = 1'500'000;

/// Returns the schema `Risks` of the OpenAPI document of the status port as JSON: as `to_json_text`, with the
/// rules of each risk and the series that decided, and without updates. Risks beyond the size are counted.
std::string risks_part_text(const RiskStatus& status);

/// The newest status as text, for the status port. Before the first one, as on replicas that do not lead, its
/// time is null.
class RiskStatusPage {
 public:
  void set(std::string text);
  /// Returns the answer with it, whose readers share one text. It does not block.
  http::Response answer() const;

 private:
  mutable std::mutex mutex_;
  http::Bytes text_ = http::make_bytes("{\"time\":null}\n");
};

}  // namespace fairway::operators
