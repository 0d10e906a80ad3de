// SPDX-License-Identifier: Apache-2.0

// Questions for evaluators, one at a time.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "risk/condition.h"
#include "risk/evaluator.h"
#include "risk/scripted_evaluator.h"

namespace fairway::risk::testing {

/// Returns the question of a query, without a limit on how far it reaches back.
inline QuestionPointer question(const std::string& query) {
  promql::CostLimits limits;
  limits.most.range_seconds = std::numeric_limits<std::uint64_t>::max();
  static const Registry registry = standard_registry(limits);
  auto condition = read_rule(registry, promql_rule(query));
  if (!condition) throw std::runtime_error(condition.error().message);
  if (auto* question = std::get_if<QuestionPointer>(&*condition)) return *question;
  throw std::runtime_error(std::get<Answer>(*condition).error);
}

/// Returns the answer of an evaluator to one query.
inline Answer ask(Evaluator& evaluator, const std::string& query, std::stop_token stop = {}) {
  const QuestionPointer asked = question(query);
  const Question* due[] = {asked.get()};
  auto answers = evaluator.evaluate(due, {}, std::move(stop));
  return answers.at(0).value();
}

/// Returns "matches", "does not match", or the error.
inline std::string shown(const Answer& answer) {
  return answer.outcome == Outcome::failed ? answer.error : std::string(to_string(answer.outcome));
}

}  // namespace fairway::risk::testing
