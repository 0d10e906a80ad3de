// SPDX-License-Identifier: Apache-2.0

// Metrics of the informers of one resource.
#pragma once

#include "base/metrics.h"
#include "k8s/group_version.h"

namespace fairway::kube {

/// Metrics of informers; those of one resource count together. Without a registry nothing is counted.
struct InformerMetrics {
  InformerMetrics(metrics::Registry* registry, const k8s::GroupVersionResource& resource);

  metrics::Gauge informers = {}, synced = {}, objects = {}, quarantined = {};
  metrics::Counter lists = {}, events = {};
};

}  // namespace fairway::kube
