// SPDX-License-Identifier: Apache-2.0

// A round: one evaluation of all conditional updates of a cluster.
#pragma once

#include <cstdint>
#include <functional>
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
  /// Verdicts, one per risk, in the order of the update's risks.
  std::vector<RiskVerdict> risks;
};

/// Evaluates updates periodically, and keeps the state of the polling rules between rounds. Results are
/// cached by rule, never by the name of a risk. Used by one thread at a time.
class Rounds {
 public:
  /// Creates it. Registry, evaluator and clock must outlive it.
  Rounds(const Registry& registry, Evaluator& evaluator, const PollingRules& rules, Clock& clock)
      : registry_(registry), clock_(clock), polling_(evaluator, rules, clock) {}

  /// Takes the verdicts so far.
  using Interim = std::function<void(const std::vector<UpdateVerdict>&)>;

  /// Evaluates each update; verdicts are in the given order. Risks of the highest target are evaluated
  /// first, in byte order of their names. Where that takes long, `interim` is called between questions, once
  /// a second at most. An Error: `stop` was requested (`cancelled`); results so far are kept.
  Result<std::vector<UpdateVerdict>> run(std::span<const ConditionalUpdate> updates,
                                         const std::stop_token& stop = {}, const Interim& interim = {});
  /// Returns the verdicts by what is known already: nobody is asked.
  std::vector<UpdateVerdict> known(std::span<const ConditionalUpdate> updates);

  /// Returns the last answer to the question of a rule (an entry of `matchingRules`); nullptr: there is none.
  const Throttle::Cached* answer_of(const json::Value& rule);
  /// Takes the answer to the question of a rule from before a restart, unless there is one already.
  void restore(const json::Value& rule, Answer answer, WallTime at);

  const Throttle& throttle() const { return polling_.throttle(); }

 private:
  /// A parsed rule.
  struct Rule {
    std::string type;
    /// Reason why it is invalid or unsupported; empty otherwise.
    std::string refusal;
    Condition condition;
    /// Current answer to its question, looked up once per round.
    Knowledge knowledge;
    /// Knowledge of before, where nobody may be asked.
    Knowledge before;
    std::uint64_t known_in_round = 0, used_in_round = 0;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view key) const { return std::hash<std::string_view>()(key); }
  };
  struct Judged;

  Rule& rule_of(const json::Value& rule);
  /// Returns whether the last evaluation of a rule failed; false if there was none.
  bool has_failed(const Rule& rule) const;
  /// Without `stop` nobody is asked: the verdict is by what is known.
  RiskVerdict evaluate(Judged& judged, const std::stop_token* stop);
  RiskVerdict known(Judged& judged);
  void record_places(std::span<const Judged> all, std::vector<UpdateVerdict>& verdicts) const;
  const Knowledge& ask(Rule& rule, const std::stop_token& stop);
  const Knowledge& knowledge_before(Rule& rule) const;

  const Registry& registry_;
  Clock& clock_;
  Polling polling_;
  /// Rules by their canonical JSON.
  std::unordered_map<std::string, Rule, Hash, std::equal_to<>> rules_;
  std::uint64_t round_ = 0;
  std::string key_;  ///< kept to reuse its buffer
};

}  // namespace fairway::risk
