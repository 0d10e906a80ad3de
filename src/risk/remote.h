// The evaluator that sends every query to the monitoring stack: the spec to the letter.
#pragma once

#include <memory>

#include "base/json.h"
#include "risk/evaluator.h"
#include "risk/prometheus_api.h"

namespace fairway::risk {

/// One query a slot.
std::unique_ptr<Evaluator> make_remote(std::shared_ptr<PrometheusApi> api);

/// Asks one question; what goes wrong is a failed answer.
Answer ask_remote(PrometheusApi& api, const Question& question, std::stop_token stop);

/// Judges the `data` of an answer of the query API.
Answer judge_reply(const json::Value& data);

}  // namespace fairway::risk
