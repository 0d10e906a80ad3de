// SPDX-License-Identifier: Apache-2.0

#include "kube/internal/controller/queue_metrics.h"

#include <vector>

namespace fairway::kube {

QueueMetrics::QueueMetrics(metrics::Registry* registry, const std::string& queue) {
  if (registry == nullptr) return;
  metrics::Registry& r = *registry;
  const metrics::Labels labels{{"name", queue}, {"controller", queue}};
  const std::vector<double> bounds{1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000};
  depth = r.gauge("workqueue_depth", "Current depth of workqueue", labels);
  adds = r.counter("workqueue_adds_total", "Total number of adds handled by workqueue", labels);
  queue_duration =
      r.histogram("workqueue_queue_duration_seconds",
                  "How long in seconds an item stays in workqueue before being requested", bounds, labels);
  work_duration = r.histogram("workqueue_work_duration_seconds",
                              "How long in seconds processing an item from workqueue takes.", bounds, labels);
  retries = r.counter("workqueue_retries_total", "Total number of retries handled by workqueue", labels);
  unfinished_work =
      r.gauge("workqueue_unfinished_work_seconds",
              "How many seconds of work has been done that is in progress and hasn't been observed by "
              "work_duration. Large values indicate stuck threads.",
              labels);
  longest_running =
      r.gauge("workqueue_longest_running_processor_seconds",
              "How many seconds has the longest running processor for workqueue been running.", labels);
}

}  // namespace fairway::kube
