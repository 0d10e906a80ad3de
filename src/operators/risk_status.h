// The state of every risk of the available updates (ClusterVersion holds what fits).
#pragma once

#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "operators/retrieval.h"
#include "risk/rounds.h"

namespace fairway::operators {

/// The available updates and what was found. A view.
struct RiskStatus {
  const AvailableUpdates* available = nullptr;  ///< nullptr: there is none
  std::span<const risk::UpdateVerdict> verdicts;
  WallTime at;
};

/// One risk by name and rules: several updates may have it.
struct KnownRisk {
  const graph::Risk* risk = nullptr;
  const risk::RiskVerdict* verdict = nullptr;
  std::vector<const std::string*> versions;  ///< the highest first

  /// "matches", "does not match", "waiting" (for its first turn) or "failed".
  std::string_view word() const;
};

/// In the order of the updates. They point into what `status` views.
std::vector<KnownRisk> known_risks(const RiskStatus& status);

/// What `fairway risk status -o json` prints (docs/operator.md).
std::string to_json_text(const RiskStatus& status);

/// The newest status as text, for the threads of the status port. Before the first one, as on replicas that
/// do not lead, its time is null.
class RiskStatusPage {
 public:
  void set(std::string text);
  std::string text() const;

 private:
  mutable std::mutex mutex_;
  std::string text_ = "{\"time\":null}\n";
};

}  // namespace fairway::operators
