// The evaluator that sends every query to the monitoring stack: the spec to the letter.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "base/json.h"
#include "risk/evaluator.h"
#include "risk/prometheus_api.h"

namespace fairway::risk {

/// One query a slot.
std::unique_ptr<Evaluator> make_remote(std::shared_ptr<PrometheusApi> api);

/// Asks one question; what goes wrong is a failed answer.
Answer ask_remote(PrometheusApi& api, const Question& question, std::stop_token stop);

/// A sample's value as Prometheus writes numbers ("1", "0.5", "+Inf", "NaN"); nothing for any other text.
std::optional<double> sample_value(std::string_view text);

/// Judges the `data` of an answer of the query API.
Answer judge_reply(const json::Value& data);

}  // namespace fairway::risk
