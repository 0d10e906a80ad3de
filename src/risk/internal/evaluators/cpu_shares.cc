// SPDX-License-Identifier: Apache-2.0

#include "risk/internal/evaluators/cpu_shares.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"

namespace fairway::risk {

using std::chrono::nanoseconds;

std::vector<std::size_t> CpuShares::run(
    std::vector<PricedQuestion> questions,
    const std::function<bool(std::size_t number, nanoseconds until)>& evaluate) {
  constexpr int passes = 3;
  std::ranges::stable_sort(questions, {}, &PricedQuestion::work);
  nanoseconds of_slot = std::min(limits_.slot, left_);
  for (int pass = 1; pass <= passes && !questions.empty(); ++pass) {
    // At most half of the time is spent in vain.
    nanoseconds of_pass = pass == passes ? of_slot : of_slot / 2;
    std::vector<PricedQuestion> unfinished;
    for (std::size_t i = 0; i < questions.size(); ++i) {
      // At first all get the same, whatever they are thought to cost. What is left goes to the cheapest
      // first.
      const nanoseconds share =
          pass == 1 ? of_pass / static_cast<std::int64_t>(questions.size() - i) : of_pass / 2;
      if (share <= nanoseconds::zero()) {
        unfinished.push_back(questions[i]);
        continue;
      }
      const nanoseconds before = limits_.time();
      if (!evaluate(questions[i].number, before + share)) unfinished.push_back(questions[i]);
      const nanoseconds used = limits_.time() - before;
      of_pass -= used;
      of_slot -= used;
      left_ -= used;
    }
    questions = std::move(unfinished);
  }
  std::vector<std::size_t> numbers;
  numbers.reserve(questions.size());
  for (const PricedQuestion& question : questions) numbers.push_back(question.number);
  return numbers;
}

Answer out_of_cpu(const CpuLimits& limits) {
  return Answer::failure("executing PromQL query: it did not end within its share of the processor time (" +
                         format_duration(limits.slot) + " per slot, " + format_duration(limits.round) +
                         " per round)");
}

promql::Cost cost_by(const Question& question, const std::shared_ptr<const promql::SeriesSeen>& seen) {
  promql::CostLimits limits = *question.limits;
  limits.seen = seen;
  return promql::cost_of(*question.expression, question.query, limits);
}

std::string refusal_by(const Question& question, const promql::Cost& cost) {
  return promql::exceeded_limits(cost, *question.limits);
}

Answer too_costly(const std::string& exceeded) {
  return Answer::failure("PromQL query may cost too much: " + exceeded, Answer::Spent::nothing);
}

}  // namespace fairway::risk
