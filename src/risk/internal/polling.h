// SPDX-License-Identifier: Apache-2.0

// The queue of questions for an evaluator, one slot at a time.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "risk/evaluator.h"
#include "risk/throttle.h"

namespace fairway::risk {

/// The current answer to a question.
struct Knowledge {
  Outcome outcome = Outcome::failed;
  std::optional<double> value;
  std::string series = {};
  /// Reason why it failed, or time until which it waits.
  std::string error;
  /// Warnings of the monitoring stack about its answer.
  std::vector<std::string> warnings = {};
  /// True if it was never evaluated, because it was not its turn yet.
  bool waiting = false;
  /// Name of the evaluator; empty if it waits.
  std::string_view evaluator;
  /// Time of the last evaluation, and earliest time of the next; std::nullopt: at once.
  std::optional<WallTime> last, next;
};

/// Calls an evaluator as often as the polling rules allow, and shares its answers among all who ask.
class Polling {
 public:
  /// Creates it. Evaluator and clock must outlive it.
  Polling(Evaluator& evaluator, const PollingRules& rules, Clock& clock)
      : evaluator_(evaluator), throttle_(rules), clock_(clock) {}

  /// Begins a round. `wanted` are the questions that will be asked whatever the answers are, in the order of
  /// the round, and `possible` those that may also be asked; neither needs to be complete.
  void begin_round(const std::vector<QuestionPointer>& wanted, std::vector<QuestionPointer> possible = {});

  /// Returns the current answer to a question. A free slot is used first: for this question, or for the one
  /// that waits longest. Within a round a question is evaluated once.
  Knowledge ask(const QuestionPointer& question, const std::stop_token& stop);

  /// Returns the last answer to a question, and asks nobody.
  Knowledge known(const Question& question) const;

  /// Takes an answer of before a restart (`Throttle::restore`).
  void restore(const QuestionPointer& question, Answer answer, WallTime at);

  /// Returns the questions in the order of their turns (`Throttle::queue`); empty if none waits for another.
  std::vector<std::string_view> queue() const;

  const Throttle& throttle() const { return throttle_; }

 private:
  void use_slot(std::string_view first, const Moment& now, const std::stop_token& stop);
  void request(const QuestionPointer& question, const Moment& now);

  Evaluator& evaluator_;
  Throttle throttle_;
  Clock& clock_;
  std::vector<QuestionPointer> possible_;
  /// Questions that the throttle remembers: a question may get its slot in a round that does not ask for it.
  std::unordered_map<std::string_view, QuestionPointer> questions_;
};

}  // namespace fairway::risk
