// Warnings and infos of a query, in Prometheus's words.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "promql/span.h"
#include "promql/value.h"

namespace fairway::promql {

/// What a query says beside its result, each text once. Prometheus has no annotations before 2.48, so they
/// are empty in the 2.x dialect.
class Annotations {
 public:
  explicit Annotations(std::string_view query = {}, bool enabled = true) : query_(query), enabled_(enabled) {}

  void invalid_quantile(double quantile, Span span);
  void bad_bucket_label(std::string_view metric, std::string_view label, Span span);
  void possible_non_counter(std::string_view metric, Span span);
  void incompatible_operands(std::string_view op, Span span);
  void sort_in_range_query();
  /// Buckets from `first` to `last` had to be raised by up to `difference` at `time`; such infos of one place
  /// are counted in one text.
  void forced_monotonicity(std::string_view metric, Span span, Timestamp time, double first, double last,
                           double difference);

  std::set<std::string> warnings() const { return warnings_; }
  std::set<std::string> infos() const;

 private:
  struct Forced {
    Span span;
    Timestamp from = 0, to = 0;
    double first = 0, last = 0, difference = 0;
    int count = 0;
  };
  std::string at(Span span) const;

  std::string query_;
  bool enabled_ = true;
  std::set<std::string> warnings_, infos_;
  std::map<std::string, Forced> forced_;
};

}  // namespace fairway::promql
