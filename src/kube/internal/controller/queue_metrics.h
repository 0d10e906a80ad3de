// SPDX-License-Identifier: Apache-2.0

// A work queue's metrics, with the names and buckets of client-go's and controller-runtime's.
#pragma once

#include <string>

#include "base/metrics.h"

namespace fairway::kube {

/// Metrics of a queue. Without a registry nothing is counted.
struct QueueMetrics {
  QueueMetrics(metrics::Registry* registry, const std::string& queue);

  metrics::Gauge depth = {}, unfinished_work = {}, longest_running = {};
  metrics::Counter adds = {}, retries = {};
  metrics::Histogram queue_duration = {}, work_duration = {};
};

}  // namespace fairway::kube
