// SPDX-License-Identifier: Apache-2.0

#include "kube/internal/informer/informer_metrics.h"

namespace fairway::kube {

InformerMetrics::InformerMetrics(metrics::Registry* registry, const k8s::GroupVersionResource& resource) {
  if (registry == nullptr) return;
  metrics::Registry& r = *registry;
  const metrics::Labels labels{
      {"group", resource.group}, {"version", resource.version}, {"resource", resource.resource}};
  informers = r.gauge("fairway_informers", "Informers of a resource", labels);
  synced = r.gauge("fairway_informers_synced", "Informers that have had their first list", labels);
  objects = r.gauge("fairway_informer_objects", "Objects that informers hold", labels);
  quarantined = r.gauge("fairway_informer_quarantined_objects",
                        "Quarantined objects that informers leave out, or keep as they were before", labels);
  lists = r.counter("fairway_informer_lists_total",
                    "Lists begun: more than one for each watch means that watches could not go on", labels);
  events = r.counter("fairway_informer_events_total", "Events of watches, bookmarks aside", labels);
}

}  // namespace fairway::kube
