// The evaluator that sends every query to the monitoring stack: the spec to the letter.
#pragma once

#include <expected>
#include <memory>

#include "base/json.h"
#include "risk/evaluator.h"
#include "risk/evaluators/prometheus_api.h"

namespace fairway::risk {

/// One query a slot.
std::unique_ptr<Evaluator> make_remote(std::shared_ptr<PrometheusApi> api);

/// What the answer to a question's own query says; what went wrong is a failed answer.
Answer judge_query(const std::expected<PrometheusApi::Reply, PrometheusApi::Failure>& reply);

/// Judges the `data` of an answer of the query API.
Answer judge_reply(const json::Value& data);

}  // namespace fairway::risk
