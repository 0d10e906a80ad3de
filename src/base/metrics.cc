// SPDX-License-Identifier: Apache-2.0

#include "base/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

namespace fairway::metrics {

struct Registry::Implementation {
  // Merge: asking again for a family gives the one that is there.
  prometheus::Registry registry{prometheus::Registry::InsertBehavior::Merge};
};

Registry::Registry() : implementation_(std::make_unique<Implementation>()) {}
Registry::~Registry() = default;

void Counter::add(double by) {
  if (series_ != nullptr) static_cast<prometheus::Counter*>(series_)->Increment(by);
}

void Gauge::set(double value) {
  if (series_ != nullptr) static_cast<prometheus::Gauge*>(series_)->Set(value);
}

void Gauge::add(double by) {
  if (series_ != nullptr) static_cast<prometheus::Gauge*>(series_)->Increment(by);
}

void Histogram::observe(double value) {
  if (series_ != nullptr) static_cast<prometheus::Histogram*>(series_)->Observe(value);
}

Counter Registry::counter(const std::string& name, const std::string& help, const Labels& labels) {
  Counter counter;
  counter.series_ =
      &prometheus::BuildCounter().Name(name).Help(help).Register(implementation_->registry).Add(labels);
  return counter;
}

Gauge Registry::gauge(const std::string& name, const std::string& help, const Labels& labels) {
  Gauge gauge;
  gauge.series_ =
      &prometheus::BuildGauge().Name(name).Help(help).Register(implementation_->registry).Add(labels);
  return gauge;
}

Histogram Registry::histogram(const std::string& name, const std::string& help,
                              const std::vector<double>& bounds, const Labels& labels) {
  Histogram histogram;
  histogram.series_ =
      &prometheus::BuildHistogram()
           .Name(name)
           .Help(help)
           .Register(implementation_->registry)
           .Add(labels, prometheus::Histogram::BucketBoundaries(bounds.begin(), bounds.end()));
  return histogram;
}

std::string Registry::text() const {
  return prometheus::TextSerializer().Serialize(implementation_->registry.Collect());
}

}  // namespace fairway::metrics
