// SPDX-License-Identifier: Apache-2.0

#include "risk/answer.h"

#include <utility>
#include <vector>

#include "base/cut_text.h"
#include "base/go_text.h"

namespace fairway::risk {

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::matches:
      return "matches";
    case Outcome::does_not_match:
      return "does not match";
    case Outcome::failed:
      break;
  }
  return "failed";
}

Answer Answer::failure(std::string error, Spent spent) {
  return {.outcome = Outcome::failed, .error = std::move(error), .spent = spent};
}

Answer judge(promql::ValueType type, std::span<const double> values) {
  if (type != promql::ValueType::vector) {
    return Answer::failure("invalid PromQL result type is " + std::string(promql::to_string(type)) +
                           ", not vector");
  }
  if (values.size() != 1) {
    return Answer::failure("invalid PromQL result length must be one, but is " +
                           std::to_string(values.size()));
  }
  Answer answer;
  answer.value = values[0] == 0 ? 0 : values[0];  // -0 is 0
  if (values[0] == 0) {
    answer.outcome = Outcome::does_not_match;
  } else if (values[0] == 1) {
    answer.outcome = Outcome::matches;
  } else {
    answer.error = "invalid PromQL result (must be 0 or 1): " + go_plain_number(values[0]);
  }
  return answer;
}

Answer judge(const promql::Value& value) {
  std::vector<double> values;
  values.reserve(value.vector.size());
  for (const promql::Sample& sample : value.vector) values.push_back(sample.value);
  Answer answer = judge(value.type, values);
  if (answer.value) set_series(answer, value.vector.front().metric);
  return answer;
}

void set_series(Answer& answer, const promql::Metric& metric) {
  std::string text = metric.to_string();
  answer.series = text == "{}" ? "" : cut_text(text, max_series_bytes);
}

}  // namespace fairway::risk
