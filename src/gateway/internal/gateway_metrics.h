// SPDX-License-Identifier: Apache-2.0

// Metrics of the controller: its passes, the resources of Envoys and their answers, and written statuses.
#pragma once

#include <array>
#include <chrono>

#include "base/metrics.h"
#include "xds/resource.h"
#include "xds/server.h"

namespace fairway::gateway {

class GatewayMetrics {
 public:
  /// Registers the metrics. With a null registry it does nothing.
  explicit GatewayMetrics(metrics::Registry* registry);

  /// Records a pass. `is_whole`: it was over all objects, and not only over answers of Envoys and probes.
  void passed(bool is_whole, std::chrono::nanoseconds time);
  /// Sets the gauges of the Envoys that are connected and of the resources that are served.
  void serves(const xds::DiscoveryServer& server);
  /// Counts a response that an Envoy has refused. Safe from all threads.
  void refused(xds::Type type);
  /// Counts a status that has been written, or failed to be. Safe from all threads.
  void wrote_status(bool is_written);

 private:
  metrics::Counter whole_passes_, partial_passes_, written_, failed_;
  metrics::Histogram pass_seconds_;
  metrics::Gauge envoys_;
  std::array<metrics::Gauge, xds::types.size()> resources_;
  std::array<metrics::Counter, xds::types.size()> refusals_;
};

}  // namespace fairway::gateway
