// What a process says of itself: /livez, /readyz and /metrics.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "http/server.h"

namespace fairway::kube {

/// Called by several threads at once; none may take long.
struct StatusAnswers {
  /// Why the process should be killed, or should not be asked for anything; nothing: all is well.
  std::function<std::optional<std::string>()> not_alive, not_ready;
  /// In Prometheus's text format.
  std::function<std::string()> metrics;
};

/// "ok", or 503 with `otherwise` ("not ready") and the reason that `fault` gives.
http::Handler health_answer(std::function<std::optional<std::string>()> fault, const char* otherwise);

/// Serves /livez and /readyz (200, or 503 with the reason), /healthz, which is /livez, and /metrics. `listen`
/// as in `http::ServerOptions`.
Result<std::unique_ptr<http::Server>> start_status_server(const std::string& listen, StatusAnswers answers);

}  // namespace fairway::kube
