// SPDX-License-Identifier: Apache-2.0

// The evaluator that sends every query to the monitoring stack, exactly as the enhancement says.
#pragma once

#include <expected>
#include <memory>

#include "base/json.h"
#include "risk/evaluator.h"
#include "risk/evaluators/prometheus_api.h"

namespace fairway::risk {

/// Returns an evaluator that sends one query per slot.
std::unique_ptr<Evaluator> make_remote(std::shared_ptr<PrometheusApi> api);

/// Returns the answer from the reply to a question's own query; an error is a failed answer.
Answer judge_query(const std::expected<PrometheusApi::Reply, PrometheusApi::Failure>& reply);

/// Returns the answer from the `data` of a reply of the query API.
Answer judge_reply(const json::Value& data);

}  // namespace fairway::risk
