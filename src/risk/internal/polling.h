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

/// What is known of a question.
struct Knowledge {
  Outcome outcome = Outcome::failed;
  std::optional<double> value;
  /// Why it failed, or until when it waits.
  std::string error;
  /// What the monitoring stack warned of beside its answer.
  std::vector<std::string> warnings = {};
  /// It was never evaluated, for it was not its turn yet.
  bool waiting = false;
  /// Who evaluated it; empty where it waits.
  std::string_view evaluator;
  /// When it was evaluated, and when it may be (again) at the earliest; nothing: at once.
  std::optional<WallTime> last, next;
};

/// Asks an evaluator as often as the polling rules allow, and shares what it says among all who ask.
class Polling {
 public:
  /// Evaluator and clock outlive it.
  Polling(Evaluator& evaluator, const PollingRules& rules, Clock& clock)
      : evaluator_(evaluator), throttle_(rules), clock_(clock) {}

  /// Begins a round. `wanted` is what will be asked for whatever the answers are, in the order of the round,
  /// `possible` what may be asked for besides; neither needs to be complete.
  void begin_round(const std::vector<QuestionPointer>& wanted, std::vector<QuestionPointer> possible = {});

  /// What is known of a question. Where a slot is free it is used first: for this one, or for whichever waits
  /// longest. Within a round a question is evaluated once.
  Knowledge ask(const QuestionPointer& question, const std::stop_token& stop);

  /// The questions in the order of their turns (`Throttle::queue`); none where none waits for another.
  std::vector<std::string_view> queue() const;

  const Throttle& throttle() const { return throttle_; }

 private:
  void use_slot(std::string_view first, const Moment& now, const std::stop_token& stop);
  void request(const QuestionPointer& question, const Moment& now);

  Evaluator& evaluator_;
  Throttle throttle_;
  Clock& clock_;
  std::vector<QuestionPointer> possible_;
  /// What the throttle remembers: a question may get its slot when nobody asks for it just now.
  std::unordered_map<std::string_view, QuestionPointer> questions_;
};

}  // namespace fairway::risk
