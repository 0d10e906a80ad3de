// SPDX-License-Identifier: Apache-2.0

// A controller's metrics, with controller-runtime's names and buckets.
#pragma once

#include <string>

#include "base/metrics.h"

namespace fairway::kube {

/// Metrics of a controller's reconciles. Without a registry nothing is counted.
struct ReconcileMetrics {
  ReconcileMetrics(metrics::Registry* registry, const std::string& controller);

  metrics::Counter success = {}, error = {}, requeue = {},
                   requeue_after = {};  ///< results in controller_runtime_reconcile_total
  metrics::Counter errors = {}, terminal_errors = {}, exceptions = {};
  metrics::Histogram time = {};
  metrics::Gauge active_workers = {}, max_concurrent = {};
};

}  // namespace fairway::kube
