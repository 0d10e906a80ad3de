// SPDX-License-Identifier: Apache-2.0

#include "kube/internal/controller/reconcile_metrics.h"

#include <vector>

namespace fairway::kube {

ReconcileMetrics::ReconcileMetrics(metrics::Registry* registry, const std::string& controller) {
  if (registry == nullptr) return;
  metrics::Registry& r = *registry;
  const metrics::Labels labels{{"controller", controller}};
  const auto total = [&](const char* result) {
    return r.counter("controller_runtime_reconcile_total", "Total number of reconciliations per controller",
                     {{"controller", controller}, {"result", result}});
  };
  success = total("success");
  error = total("error");
  requeue = total("requeue");
  requeue_after = total("requeue_after");
  errors = r.counter("controller_runtime_reconcile_errors_total",
                     "Total number of reconciliation errors per controller", labels);
  terminal_errors = r.counter("controller_runtime_terminal_reconcile_errors_total",
                              "Total number of terminal reconciliation errors per controller", labels);
  exceptions = r.counter("controller_runtime_reconcile_panics_total",
                         "Total number of reconciliation panics per controller", labels);
  const std::vector<double> bounds{0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3,  0.35,
                                   0.4,   0.45, 0.5,   0.6,  0.7, 0.8,  0.9, 1,    1.25, 1.5,
                                   1.75,  2,    2.5,   3,    3.5, 4,    4.5, 5,    6,    7,
                                   8,     9,    10,    15,   20,  25,   30,  40,   50,   60};
  time = r.histogram("controller_runtime_reconcile_time_seconds",
                     "Length of time per reconciliation per controller", bounds, labels);
  active_workers =
      r.gauge("controller_runtime_active_workers", "Number of currently used workers per controller", labels);
  max_concurrent = r.gauge("controller_runtime_max_concurrent_reconciles",
                           "Maximum number of concurrent reconciles per controller", labels);
}

}  // namespace fairway::kube
