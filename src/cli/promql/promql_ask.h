// A query asked of a Prometheus, for `fairway promql eval`.
#pragma once

#include <expected>
#include <string>

#include "cli/risk/risk_options.h"
#include "promql/engine/engine.h"
#include "risk/evaluators/prometheus_api.h"

namespace fairway::cli {

/// What went wrong, as the HTTP API says it ("bad_data", "execution", ...; "unavailable" where there is no
/// answer), and what may help; `type` is empty where a flag is of no use.
struct AskFailure {
  std::string type, message, hint;
};

/// Asks the server of the flags.
std::expected<promql::QueryResult, AskFailure> ask_prometheus(const PrometheusFlags& flags,
                                                              const std::string& query,
                                                              const risk::PrometheusApi::Times& times);

}  // namespace fairway::cli
