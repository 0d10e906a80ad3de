// SPDX-License-Identifier: Apache-2.0

// Metrics of a conversion webhook.
#pragma once

#include <chrono>
#include <string>
#include <unordered_map>

#include "base/metrics.h"
#include "conversion/converters.h"
#include "conversion/internal/review.h"

namespace fairway::conversion {

/// Counters of the objects that reviews had converted, and of the reviews. All series exist from the start,
/// so that rates are right.
class ReviewMetrics {
 public:
  ReviewMetrics(const Converters& converters, metrics::Registry& registry);

  /// Counts the objects of a review, and the time that it took.
  void count(const ReviewReply& reply, std::chrono::duration<double> took);

 private:
  struct Counts {
    metrics::Counter converted, failed, quarantined;
  };

  static metrics::Counter reviews(metrics::Registry& registry, const std::string& result);
  static metrics::Counter objects(metrics::Registry& registry, const ConvertedPair& pair,
                                  const std::string& result);
  static std::string key(const ConvertedPair& pair);

  metrics::Counter success_, failure_, refused_;
  metrics::Histogram duration_;
  std::unordered_map<std::string, Counts> pairs_;
};

}  // namespace fairway::conversion
