// Series in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "promql/engine/value.h"
#include "promql/parser/ast.h"

namespace fairway::promql {

struct Series {
  LabelsRef labels;
  /// In the order of time, a timestamp once; stale markers are among them.
  std::vector<Point> points;
  bool has_stale_markers = false;
  /// What it holds that the engine refuses, "native histograms"; otherwise empty.
  std::string unsupported_feature;
  /// At which times, in their order; none: the engine refuses the series whatever is asked of it.
  std::vector<Timestamp> unsupported_at;
};

/// A set of series that queries read. Fill it from one thread; after that any number may read.
class SeriesStore {
 public:
  SeriesStore();
  SeriesStore(SeriesStore&&) noexcept;
  SeriesStore& operator=(SeriesStore&&) noexcept;
  ~SeriesStore();

  /// Adds a point. Of a timestamp that comes twice the last value counts; points may come in any order, in
  /// order is fastest.
  void add(const LabelsRef& labels, Timestamp time, double value);
  /// The value that was added for a time.
  std::optional<double> value_at(const LabelsRef& labels, Timestamp time) const;
  /// The series of these labels, made if there is none. What is added out of order later is among its points
  /// once it is asked for again, or selected.
  Series& series(const LabelsRef& labels);
  void clear();
  /// Drops points that are older than a metric's `keep_from`, and series of which none is left.
  void prune(const std::function<Timestamp(const std::string& name)>& keep_from);

  /// All series that every matcher accepts, in the order of their labels, name first. `go_on` is asked once
  /// in some thousand matchers, more often where they are large expressions; where it says no, what was found
  /// until then is given.
  std::vector<const Series*> select(const std::vector<Matcher>& matchers,
                                    const std::function<bool()>& go_on = {}) const;

  std::size_t series_count() const { return series_count_; }
  std::size_t point_count() const { return point_count_; }
  /// The time of the last point of all; 0 if there is none.
  Timestamp last_time() const { return last_time_; }

 private:
  struct Late;
  Series* find(const LabelsRef& labels) const;
  Series& find_or_make(const LabelsRef& labels);
  /// Puts the points that came late among the others.
  void settle() const;
  /// Before a series goes.
  void forget(const Series& series);

  using Named = std::map<std::vector<Label>, std::unique_ptr<Series>>;
  std::map<std::string, Named, std::less<>> by_name_;
  /// The same series by the hash of their labels.
  std::unordered_multimap<std::uint64_t, Series*> by_hash_;
  /// Nothing until a point is late.
  std::unique_ptr<Late> late_;
  std::size_t series_count_ = 0, point_count_ = 0;
  Timestamp last_time_ = 0;
};

}  // namespace fairway::promql
