// SPDX-License-Identifier: Apache-2.0

#include "conversion/internal/review_metrics.h"

namespace fairway::conversion {

ReviewMetrics::ReviewMetrics(const Converters& converters, metrics::Registry& registry)
    : success_(reviews(registry, "success")),
      failure_(reviews(registry, "failure")),
      refused_(reviews(registry, "refused")),
      duration_(registry.histogram("fairway_conversion_review_duration_seconds",
                                   "Time to answer a ConversionReview",
                                   {0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3})) {
  for (const KindConverters& kind : converters.kinds()) {
    for (const std::string& from : kind.version_names()) {
      for (const std::string& to : kind.version_names()) {
        if (from == to) continue;
        const ConvertedPair pair{kind.group(), kind.kind(), from, to};
        Counts& counts = pairs_[key(pair)];
        counts.converted = objects(registry, pair, "converted");
        counts.failed = objects(registry, pair, "failed");
        if (kind.quarantines()) counts.quarantined = objects(registry, pair, "quarantined");
      }
    }
  }
}

void ReviewMetrics::count(const ReviewReply& reply, std::chrono::duration<double> took) {
  (reply.http_status != 200 ? refused_ : reply.error.empty() ? success_ : failure_).add();
  duration_.observe(took.count());
  for (const ConvertedPair& pair : reply.pairs) {
    const auto found = pairs_.find(key(pair));
    if (found == pairs_.end()) continue;
    if (pair.converted > 0) found->second.converted.add(static_cast<double>(pair.converted));
    if (pair.failed > 0) found->second.failed.add(static_cast<double>(pair.failed));
    if (pair.quarantined > 0) found->second.quarantined.add(static_cast<double>(pair.quarantined));
  }
}

metrics::Counter ReviewMetrics::reviews(metrics::Registry& registry, const std::string& result) {
  return registry.counter("fairway_conversion_reviews_total", "ConversionReviews by their result",
                          {{"result", result}});
}

metrics::Counter ReviewMetrics::objects(metrics::Registry& registry, const ConvertedPair& pair,
                                        const std::string& result) {
  return registry.counter(
      "fairway_conversion_objects_total", "Objects converted from version to version",
      {{"group", pair.group}, {"kind", pair.kind}, {"from", pair.from}, {"to", pair.to}, {"result", result}});
}

std::string ReviewMetrics::key(const ConvertedPair& pair) {
  return pair.group + '/' + pair.kind + '/' + pair.from + '/' + pair.to;
}

}  // namespace fairway::conversion
