// SPDX-License-Identifier: Apache-2.0

#include "risk/evaluators/remote.h"

#include <cmath>
#include <utility>

#include "base/text.h"
#include "promql/engine/result_reader.h"

namespace fairway::risk {

namespace {

Answer bad_response(const std::string& what) {
  return Answer::failure("executing PromQL query: bad_response: " + what);
}

class Remote final : public Evaluator {
 public:
  explicit Remote(std::shared_ptr<PrometheusApi> api) : api_(std::move(api)) {}

  std::string_view name() const override { return "remote"; }
  bool evaluates_batches() const override { return false; }
  std::vector<std::optional<Answer>> evaluate(std::span<const Question* const> due,
                                              std::span<const Question* const>,
                                              std::stop_token stop) override {
    std::vector<std::optional<Answer>> answers(due.size());
    answers.front() = judge_query(api_->query(due.front()->query, std::move(stop)));
    return answers;
  }

 private:
  std::shared_ptr<PrometheusApi> api_;
};

}  // namespace

std::unique_ptr<Evaluator> make_remote(std::shared_ptr<PrometheusApi> api) {
  return std::make_unique<Remote>(std::move(api));
}

Answer judge_query(const std::expected<PrometheusApi::Reply, PrometheusApi::Failure>& reply) {
  if (!reply) {
    return Answer::failure("executing PromQL query: " + reply.error().message,
                           reply.error().sent     ? Answer::Spent::query
                           : reply.error().called ? Answer::Spent::turn
                                                  : Answer::Spent::nothing);
  }
  Answer answer = judge_reply(reply->data);
  answer.warnings = reply->warnings;
  return answer;
}

Answer judge_reply(const json::Value& data) {
  using promql::ValueType;
  const std::string_view type = json::find_string(data, "resultType").value_or("");
  for (const ValueType other : {ValueType::scalar, ValueType::matrix, ValueType::string}) {
    if (type == promql::to_string(other)) return judge(other, {});
  }
  if (type != promql::to_string(ValueType::vector))
    return bad_response("the result has the type '" + printable(type, 40) + "', which is none");
  const json::Value* result = json::find(data, "result");
  const json::Array* samples = result == nullptr ? nullptr : result->if_array();
  if (samples == nullptr) return bad_response("the result is no list of samples");
  // Of other lengths the count alone counts.
  std::vector<double> values(samples->size());
  std::vector<promql::Label> labels;
  if (samples->size() == 1) {
    const json::Value* point = json::find(samples->front(), "value");
    const json::Array* pair = point == nullptr ? nullptr : point->if_array();
    if (pair == nullptr || pair->size() != 2 || !(*pair)[1].is_string())
      return bad_response("the sample has no value");
    const json::Value& time = (*pair)[0];
    if (!time.is_number() || (time.is_double() && !std::isfinite(time.get_double())))
      return bad_response("the sample has no time");
    const auto value = promql::sample_value((*pair)[1].get_string());
    if (!value)
      return bad_response("'" + printable((*pair)[1].get_string(), 80) + "' is not a sample's value");
    const json::Value* metric = json::find(samples->front(), "metric");
    if (metric == nullptr || !metric->is_object()) return bad_response("the sample has no metric");
    values[0] = *value;
    for (const auto& [name, label] : metric->get_object())
      if (label.is_string()) labels.emplace_back(std::string(name), std::string(label.get_string()));
  }
  Answer answer = judge(ValueType::vector, values);
  if (answer.value) set_series(answer, promql::Metric(promql::LabelSet::make(std::move(labels))));
  return answer;
}

}  // namespace fairway::risk
