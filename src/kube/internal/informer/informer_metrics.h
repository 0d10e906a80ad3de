// What informers of one resource have done and hold.
#pragma once

#include "base/metrics.h"
#include "k8s/group_version.h"

namespace fairway::kube {

/// Without a registry they are counted nowhere. Informers of one resource count together.
struct InformerMetrics {
  InformerMetrics(metrics::Registry* registry, const k8s::GroupVersionResource& resource);

  metrics::Gauge informers, synced, objects;
  metrics::Counter lists, events;
};

}  // namespace fairway::kube
