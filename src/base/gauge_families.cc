// SPDX-License-Identifier: Apache-2.0

#include "base/gauge_families.h"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <utility>

namespace fairway::metrics {

void GaugeFamilies::set(const std::string& name, const std::string& help,
                        const std::vector<Sample>& samples) {
  std::map<Labels, double> series;
  for (const Sample& sample : samples) series.insert_or_assign(sample.labels, sample.value);
  const std::lock_guard lock(mutex_);
  if (series.empty()) {
    families_.erase(name);
  } else {
    families_.insert_or_assign(name, Family{help, std::move(series)});
  }
}

std::string GaugeFamilies::text() const {
  std::vector<prometheus::MetricFamily> all;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, family] : families_) {
      prometheus::MetricFamily& shown = all.emplace_back();
      shown.name = name;
      shown.help = family.help;
      shown.type = prometheus::MetricType::Gauge;
      for (const auto& [labels, value] : family.series) {
        prometheus::ClientMetric& metric = shown.metric.emplace_back();
        for (const auto& [label, text] : labels) metric.label.push_back({label, text});
        metric.gauge.value = value;
      }
    }
  }
  return prometheus::TextSerializer().Serialize(all);
}

}  // namespace fairway::metrics
