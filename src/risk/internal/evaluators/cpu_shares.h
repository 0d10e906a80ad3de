// SPDX-License-Identifier: Apache-2.0

// Shares the processor time of a slot among the questions that are evaluated in it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "promql/guard/series_seen.h"
#include "risk/answer.h"
#include "risk/condition.h"
#include "risk/evaluator.h"

namespace fairway::risk {

/// A question by its number, and its estimated cost.
struct PricedQuestion {
  std::size_t number = 0;
  std::uint64_t work = 0;
};

class CpuShares {
 public:
  explicit CpuShares(CpuLimits limits) : limits_(std::move(limits)), left_(limits_.round) {}

  void begin_round() { left_ = limits_.round; }

  /// Evaluates questions, the cheapest first: `evaluate` gets a number and the time, on `CpuLimits::time`, at
  /// which to give up, and returns false if it gave up for that. Half of the slot is shared equally, so that
  /// no question takes the time of another, whatever its estimated price. Questions that did not end within
  /// their share are tried again with the rest, the cheapest first. Returns the numbers of those that did not
  /// end.
  std::vector<std::size_t> run(
      std::vector<PricedQuestion> questions,
      const std::function<bool(std::size_t number, std::chrono::nanoseconds until)>& evaluate);

  bool is_over(std::chrono::nanoseconds until) const { return limits_.time() >= until; }
  const CpuLimits& limits() const { return limits_; }

 private:
  CpuLimits limits_;
  /// Time that is left in the round.
  std::chrono::nanoseconds left_;
};

/// Returns the answer of a question that did not end within its share.
Answer out_of_cpu(const CpuLimits& limits);

/// Returns the price of a question, by the numbers of series that were seen.
promql::Cost cost_by(const Question& question, const std::shared_ptr<const promql::SeriesSeen>& seen);

/// Returns the reason why a question is too costly at that price; empty if it is not.
std::string refusal_by(const Question& question, const promql::Cost& cost);

/// Returns the answer for a question that is too costly: nothing was sent, and nothing evaluated.
Answer too_costly(const std::string& exceeded);

}  // namespace fairway::risk
