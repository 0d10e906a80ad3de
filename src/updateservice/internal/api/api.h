// SPDX-License-Identifier: Apache-2.0

// The update service's HTTP API: what each path answers, for each audience. docs/api.md describes it for its
// users.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "http/server.h"
#include "updateservice/internal/api/turns.h"
#include "updateservice/internal/service_metrics.h"
#include "updateservice/internal/serving_state.h"

namespace fairway::updateservice {

/// The header with the age of a graph that is not fresh, in whole seconds, on every reply made from it.
inline constexpr const char* age_header = "Fairway-Graph-Age";

struct ApiOptions {
  std::string path_prefix = "/api/upgrades_info";  ///< without "/" at the end; may be empty
  std::string signatures_directory;                ///< --signatures; empty: those of graph data
  std::chrono::seconds max_age{60};                ///< max-age of documents that are not made once a build
  bool show_sources = false;                       ///< --show-sources
  std::size_t updates_at_once = 2;                 ///< requests for /updates that are answered at a time
};

class Api {
 public:
  /// Makes the API. `serving`, `metrics` and `clock` must outlive the server that uses the router.
  Api(ApiOptions options, const ServingState& serving, ServiceMetrics& metrics, const Clock& clock);
  /// Returns the handlers of the public port.
  http::Router router();

 private:
  struct Call;
  class Answers;
  using Answer = http::Response (*)(const Api& api, const Call& call);

  http::Handler immediate(Endpoint endpoint, Answer answer) const;
  http::Handler blocking(Endpoint endpoint, Answer answer) const;
  http::Response run(Endpoint endpoint, Answer answer, Call& call) const;

  const ApiOptions options_;
  const ServingState& serving_;
  ServiceMetrics& metrics_;
  const Clock& clock_;
  std::shared_ptr<const Document> openapi_;
  mutable Turns updates_turns_;
};

/// Returns the handlers of the status port: /livez, /readyz, /metrics, and today's /liveness and /readiness.
/// `metrics_text` makes the exposition.
http::Router status_router(const ServingState& serving, std::function<std::string()> metrics_text);

}  // namespace fairway::updateservice
