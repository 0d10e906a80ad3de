// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/gateway_metrics.h"

#include <cstddef>
#include <string>

namespace fairway::gateway {

namespace {

std::string label_of(xds::Type type) {
  switch (type) {
    case xds::Type::cluster:
      return "cluster";
    case xds::Type::endpoints:
      return "endpoints";
    case xds::Type::secret:
      return "secret";
    case xds::Type::listener:
      return "listener";
    case xds::Type::scope:
      return "scope";
    case xds::Type::route:
      return "route";
  }
  return "";
}

}  // namespace

GatewayMetrics::GatewayMetrics(metrics::Registry* registry) {
  if (registry == nullptr) return;
  const auto passes = [&](const char* over) {
    return registry->counter("fairway_gateway_passes_total",
                             "Passes of the controller, by what they were over.", {{"over", over}});
  };
  whole_passes_ = passes("objects");
  partial_passes_ = passes("answers");
  pass_seconds_ = registry->histogram("fairway_gateway_pass_duration_seconds", "Duration of a pass.",
                                      {0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10});
  const auto writes = [&](const char* result) {
    return registry->counter("fairway_gateway_status_writes_total", "Statuses written, by what became of it.",
                             {{"result", result}});
  };
  written_ = writes("ok");
  failed_ = writes("failed");
  envoys_ = registry->gauge("fairway_gateway_envoys", "Envoys that are connected to this replica.");
  for (const xds::Type type : xds::types) {
    const auto at = static_cast<std::size_t>(type);
    resources_[at] = registry->gauge("fairway_gateway_xds_resources", "Resources served to Envoys, by type.",
                                     {{"type", label_of(type)}});
    refusals_[at] =
        registry->counter("fairway_gateway_xds_refusals_total",
                          "Responses that an Envoy has refused (NACK), by the type of its resources.",
                          {{"type", label_of(type)}});
  }
}

void GatewayMetrics::passed(bool is_whole, std::chrono::nanoseconds time) {
  (is_whole ? whole_passes_ : partial_passes_).add();
  pass_seconds_.observe(std::chrono::duration<double>(time).count());
}

void GatewayMetrics::serves(const xds::DiscoveryServer& server) {
  envoys_.set(static_cast<double>(server.connected()));
  for (const xds::Type type : xds::types)
    resources_[static_cast<std::size_t>(type)].set(static_cast<double>(server.served(type)));
}

void GatewayMetrics::refused(xds::Type type) {
  refusals_[static_cast<std::size_t>(type)].add();
}

void GatewayMetrics::wrote_status(bool is_written) {
  (is_written ? written_ : failed_).add();
}

}  // namespace fairway::gateway
