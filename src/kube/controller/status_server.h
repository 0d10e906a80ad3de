// SPDX-License-Identifier: Apache-2.0

// The health and metrics endpoints, /livez, /readyz and /metrics, and pages beside them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "http/server.h"

namespace fairway::kube {

/// A page of the status port. `text` is called concurrently.
struct StatusPage {
  std::string path = {}, content_type = {};  ///< "/risks", "application/json"
  std::function<std::string()> text = {};
};

/// Functions that return the answers. Called concurrently; must be fast, and `not_alive` must not block.
struct StatusAnswers {
  /// Returns the reason why the process is not alive, or not ready; std::nullopt: healthy.
  std::function<std::optional<std::string>()> not_alive = {}, not_ready = {};
  /// Returns the metrics in Prometheus's text format.
  std::function<std::string()> metrics = {};
  std::vector<StatusPage> pages = {};
  /// Functions that add further routes; the error of one is that of the server.
  std::vector<std::function<Result<void>(http::Router&)>> routes = {};
};

/// Returns the handler of a check: it answers 200 "ok", or 503 with `otherwise` ("not ready") and the reason
/// that `fault` returns.
http::Handler health_answer(std::function<std::optional<std::string>()> fault, const char* otherwise);

/// Serves /livez and /readyz (200, or 503 with the reason), /healthz (an alias of /livez), /metrics and the
/// pages.
/// `listen` as in `http::ServerOptions`.
Result<std::unique_ptr<http::Server>> start_status_server(const std::string& listen, StatusAnswers answers);

}  // namespace fairway::kube
