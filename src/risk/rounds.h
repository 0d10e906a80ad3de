// A round: all conditional updates of a cluster, judged at one time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/semver.h"
#include "graph/risk.h"
#include "risk/condition.h"
#include "risk/internal/polling.h"
#include "risk/recommendation.h"

namespace fairway::risk {

/// An update with known risks.
struct ConditionalUpdate {
  Version target;
  std::vector<graph::Risk> risks;
};

struct UpdateVerdict {
  UpdateCondition recommended, evaluating;
  /// One a risk, in the order of the update's risks.
  std::vector<RiskVerdict> risks;
};

/// Judges updates again and again, and remembers between rounds what the polling rules want remembered.
/// Results are kept by rule, never by the name of a risk. Used by one thread at a time.
class Rounds {
 public:
  /// Registry, evaluator and clock outlive it.
  Rounds(const Registry& registry, Evaluator& evaluator, const PollingRules& rules, Clock& clock)
      : registry_(registry), polling_(evaluator, rules, clock) {}

  /// Judges each update; verdicts are in the order given. Evaluated are the risks of the highest target
  /// first, and in the order of their names (bytes). An Error: `stop` was asked for (`cancelled`); what was
  /// learnt until then is kept.
  Result<std::vector<UpdateVerdict>> run(std::span<const ConditionalUpdate> updates,
                                         const std::stop_token& stop = {});

  const Throttle& throttle() const { return polling_.throttle(); }

 private:
  /// A rule that has been read.
  struct Rule {
    std::string type;
    /// Why it is of no use; empty for one that is understood.
    std::string refusal;
    Condition condition;
    /// What is known of its question, asked for once a round.
    Knowledge knowledge;
    std::uint64_t known_in_round = 0, used_in_round = 0;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view key) const { return std::hash<std::string_view>()(key); }
  };
  struct Judged;

  Rule& rule_of(const json::Value& rule);
  RiskVerdict walk(const std::vector<Rule*>& rules, const std::stop_token& stop);
  const Knowledge& ask(Rule& rule, const std::stop_token& stop);

  const Registry& registry_;
  Polling polling_;
  /// By canonical JSON.
  std::unordered_map<std::string, Rule, Hash, std::equal_to<>> rules_;
  std::uint64_t round_ = 0;
  std::string key_;  ///< kept for its memory
};

}  // namespace fairway::risk
