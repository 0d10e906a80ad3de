// Who answers questions: the one interface between rounds, which are pure, and whatever has the series.
#pragma once

#include <optional>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "risk/answer.h"
#include "risk/condition.h"

namespace fairway::risk {

/// The kinds of evaluators are remote (every query goes to Prometheus), snapshot (one query of plain
/// selectors for all, evaluated here) and local (series that were read here). Called by one round at a time.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  /// As status and flags name it: "remote". The text lives as long as the program.
  virtual std::string_view name() const = 0;
  /// Whether one slot may answer more than one question. If not, it is only shown the one.
  virtual bool takes_many() const = 0;

  /// Uses one slot of the polling rules. `due` is never empty and no question comes twice. The slot belongs
  /// to the first, which must be answered; the others are due as well, those first that were asked for
  /// longest ago, and each is answered that the same slot pays for. `early` ones are asked for and have an
  /// answer for more than half of its hour: whoever answers many at once may bring them along, so that all of
  /// them come to be due together. The result has an entry for each of `due`, and may have one for each of
  /// `early` behind them; nothing means that it still waits. Where `stop` is asked for, return soon; what is
  /// returned then is not used. Whatever goes wrong is an answer (`Answer::failure`) of those that are due,
  /// with `Answer::spent` saying what was used up.
  virtual std::vector<std::optional<Answer>> evaluate(std::span<const Question* const> due,
                                                      std::span<const Question* const> early,
                                                      std::stop_token stop) = 0;
};

}  // namespace fairway::risk
