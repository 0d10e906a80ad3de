// What the controller tells on /metrics: its passes, what Envoys are given and say, and what is written.
#pragma once

#include <array>
#include <chrono>

#include "base/metrics.h"
#include "xds/resource.h"
#include "xds/server.h"

namespace fairway::gateway {

class GatewayMetrics {
 public:
  /// `registry` may be null: then nothing is told.
  explicit GatewayMetrics(metrics::Registry* registry);

  /// A pass has been made. `is_whole`: over all objects, and not only over what Envoys and probes have said.
  void passed(bool is_whole, std::chrono::nanoseconds time);
  /// What is served now, and to how many.
  void serves(const xds::DiscoveryServer& server);
  /// An Envoy has refused a response. Safe from all threads.
  void refused(xds::Type type);
  /// A status has been written, or that has failed. Safe from all threads.
  void wrote_status(bool is_written);

 private:
  metrics::Counter whole_passes_, partial_passes_, written_, failed_;
  metrics::Histogram pass_seconds_;
  metrics::Gauge envoys_;
  std::array<metrics::Gauge, xds::types.size()> resources_;
  std::array<metrics::Counter, xds::types.size()> refusals_;
};

}  // namespace fairway::gateway
