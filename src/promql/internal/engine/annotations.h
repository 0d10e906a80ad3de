// SPDX-License-Identifier: Apache-2.0

// Warnings and infos of a query, in Prometheus's words.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "promql/engine/value.h"
#include "promql/parser/span.h"

namespace fairway::promql {

/// The warnings and infos of a query, each text once, with the last place that produced it. Prometheus has no
/// annotations before 2.48, so they are empty in the 2.x dialect.
class Annotations {
 public:
  /// The origin of an annotation: the span that it names, and the part of the query whose evaluation produced
  /// it.
  struct Place {
    Span shown, whole;
  };

  explicit Annotations(std::string_view query = {}, bool enabled = true) : query_(query), enabled_(enabled) {}

  void invalid_quantile(double quantile, const Place& place);
  /// Records an invalid parameter of an aggregation at one time. Over all times, the largest above 1 and the
  /// smallest below 0 are reported, or only that one is NaN.
  void quantile_parameter(double quantile, const Place& place);
  void bad_bucket_label(std::string_view metric, std::string_view label, const Place& place);
  void possible_non_counter(std::string_view metric, const Place& place);
  void incompatible_operands(std::string_view op, Span span);
  void sort_in_range_query(Span span);
  /// Records that buckets from `first` to `last` had to be raised by up to `difference` at `time`. All such
  /// infos are counted in one text, which names the place that is evaluated first (all others name the last
  /// one).
  void forced_monotonicity(std::string_view metric, const Place& place, Timestamp time, double first,
                           double last, double difference);

  std::set<std::string> warnings() const;
  std::set<std::string> infos() const;

 private:
  struct Forced {
    Place place;
    Timestamp from = 0, to = 0;
    double first = 0, last = 0, difference = 0;
    int count = 0;
  };
  using Texts = std::map<std::string, Place>;
  static void move_to_last(Place& place, const Place& other);
  static void move_to_first(Place& place, const Place& other);
  void add(Texts& texts, std::string text, const Place& place);
  /// Returns whether there is room for a text; beyond a megabyte none is kept.
  bool has_room_for(const std::string& text);
  std::string at(const Place& place) const;
  struct Extremes {
    Place place;
    bool not_a_number = false;
    double smallest = 0, largest = 1;
  };

  std::string query_;
  bool enabled_ = true;
  std::size_t bytes_ = 0;
  Texts warnings_, infos_;
  std::map<std::string, Forced> forced_;
  std::map<std::size_t, Extremes> quantiles_;  ///< extremes by the position in the query
};

}  // namespace fairway::promql
