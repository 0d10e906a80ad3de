// The health and metrics endpoints: /livez, /readyz and /metrics.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "http/server.h"

namespace fairway::kube {

/// Called concurrently; must be fast.
struct StatusAnswers {
  /// Why the process is not alive, or not ready; std::nullopt: healthy.
  std::function<std::optional<std::string>()> not_alive, not_ready;
  /// In Prometheus's text format.
  std::function<std::string()> metrics;
};

/// 200 "ok", or 503 with `otherwise` ("not ready") and the reason returned by `fault`.
http::Handler health_answer(std::function<std::optional<std::string>()> fault, const char* otherwise);

/// Serves /livez and /readyz (200, or 503 with the reason), /healthz (an alias of /livez) and /metrics.
/// `listen` as in `http::ServerOptions`.
Result<std::unique_ptr<http::Server>> start_status_server(const std::string& listen, StatusAnswers answers);

}  // namespace fairway::kube
