// SPDX-License-Identifier: Apache-2.0

// Evaluates a query on a Prometheus, for `fairway promql eval`.
#pragma once

#include <expected>
#include <string>

#include "cli/risk/risk_options.h"
#include "promql/engine/engine.h"
#include "risk/evaluators/prometheus_api.h"

namespace fairway::cli {

/// An error with its type in the HTTP API ("bad_data", "execution", ...; "unavailable" without a reply), and
/// a hint; `type` is empty if a flag is invalid.
struct AskFailure {
  std::string type, message, hint;
};

/// Queries the server of the flags.
std::expected<promql::QueryResult, AskFailure> ask_prometheus(const PrometheusFlags& flags,
                                                              const std::string& query,
                                                              const risk::PrometheusApi::Times& times);

}  // namespace fairway::cli
