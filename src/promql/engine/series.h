// SPDX-License-Identifier: Apache-2.0

// Series in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "promql/engine/value.h"
#include "promql/parser/ast.h"

namespace fairway::promql {

struct Series {
  LabelsRef labels = {};
  /// Points in ascending order of time, each timestamp once; stale markers included.
  std::vector<Point> points = {};
  bool has_stale_markers = false;
  /// Name of contents that the engine does not support, "native histograms"; otherwise empty.
  std::string unsupported_feature = {};
  /// Times of the unsupported contents, ascending; empty: the engine rejects every query of this series.
  std::vector<Timestamp> unsupported_at = {};
};

/// The series that queries read. Filled by one thread; any number of threads may read it afterwards.
class SeriesStore {
 public:
  SeriesStore();
  SeriesStore(SeriesStore&&) noexcept;
  SeriesStore& operator=(SeriesStore&&) noexcept;
  ~SeriesStore();

  /// Adds a point. The last value of a duplicate timestamp wins. Points may come in any order; ascending is
  /// fastest.
  void add(const LabelsRef& labels, Timestamp time, double value);
  /// Returns the value at exactly this time.
  std::optional<double> value_at(const LabelsRef& labels, Timestamp time) const;
  /// Returns the series of these labels, created if absent. Points added out of order afterwards appear in it
  /// after the next call of this function or `select`.
  Series& series(const LabelsRef& labels);
  void clear();
  /// Drops points older than a metric's `keep_from`, and series without remaining points.
  void prune(const std::function<Timestamp(const std::string& name)>& keep_from);

  /// Returns all series that every matcher accepts, sorted by labels, name first. `may_continue` is called
  /// about every thousand matchers, more often for large regular expressions; once it returns false, the
  /// series found so far are returned.
  std::vector<const Series*> select(const std::vector<Matcher>& matchers,
                                    const std::function<bool()>& may_continue = {}) const;

  /// Calls `visit` with the name of each metric and the number of its series.
  void count_metrics(const std::function<void(std::string_view metric, std::size_t series)>& visit) const;

  std::size_t series_count() const { return series_count_; }
  std::size_t point_count() const { return point_count_; }
  /// Returns the time of the latest point in the store; 0 if it is empty.
  Timestamp last_time() const { return last_time_; }

 private:
  struct Late;
  Series* find(const LabelsRef& labels) const;
  Series& find_or_make(const LabelsRef& labels);
  /// Merges points that were added out of order.
  void merge_late_points() const;
  /// Removes a series from the index by hash, and from the count, before it is deleted.
  void remove_from_index(const Series& series);

  using Named = std::map<std::vector<Label>, std::unique_ptr<Series>>;
  std::map<std::string, Named, std::less<>> by_name_;
  /// Index of the series by the hash of their labels.
  std::unordered_multimap<std::uint64_t, Series*> by_hash_;
  /// Null until a point is added out of order.
  std::unique_ptr<Late> late_;
  std::size_t series_count_ = 0, point_count_ = 0;
  Timestamp last_time_ = 0;
};

}  // namespace fairway::promql
