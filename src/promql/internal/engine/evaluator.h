// SPDX-License-Identifier: Apache-2.0

// The engine's inside: one evaluation of one query.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "promql/engine/engine.h"
#include "promql/internal/engine/annotations.h"
#include "promql/parser/matcher.h"

namespace fairway::promql {

/// Limit of the times of a query: sums of a time and ranges then never overflow.
constexpr Timestamp time_limit = Timestamp{1} << 61;

/// A series as functions of ranges see it: the points of one window.
struct Window {
  const Metric& metric;
  std::span<const Point> points;
  bool drop_name = false;
};

/// Evaluates a tree at one time after another. After a failure `failed()` is true and results are
/// meaningless.
class Evaluator {
 public:
  Evaluator(std::string_view query, const SeriesStore& store, const EngineOptions& options, Timestamp start,
            Timestamp end)
      : store_(store),
        options_(options),
        annotations_(query, options.dialect == Dialect::prometheus3),
        start_(start),
        end_(end),
        from_(start),
        to_(end) {}

  double scalar(const Expression& expression, Timestamp time);
  Vector vector(const Expression& expression, Timestamp time);
  std::vector<SeriesResult> matrix(const Expression& expression, Timestamp time);
  static const std::string& string(const Expression& expression);
  /// Drops the names that were to be dropped at the end, and rejects label sets that then occur twice.
  void finish(Vector& vector);

  bool failed() const { return error_.has_value(); }
  QueryError take_error() { return std::move(*error_); }
  const Annotations& annotations() const { return annotations_; }
  /// Counts samples that are kept until the query ends; false if there are too many.
  bool keep(std::size_t samples);
  /// Counts a series that is kept: its labels count as the samples that would take as much memory.
  bool keep_series(const Metric& metric);
  /// Begins a step: labels that functions created are released, except those of kept series.
  void begin_step() { made_ = 0; }
  /// Counts the name and value of a label that is about to be created in this step; false if one or all of
  /// them are too long.
  bool count_label(std::string_view maker, std::size_t name, std::size_t value);
  /// Returns a metric of labels that the query creates. After a failure it is meaningless.
  Metric made(std::vector<Label> labels);
  Metric with_label(const Metric& metric, const std::string& name, std::string value);
  bool fail(std::string message, QueryError::Kind kind = QueryError::Kind::execution);
  /// Returns whether the deadline has not passed and no stop was requested.
  bool check_time();

 private:
  struct SubquerySeries {
    Metric metric;
    bool drop_name = false;
    std::vector<Point> points;
  };
  /// A series that a selector found, and the positions at which the last searches for times ended.
  struct Selected {
    const Series* series = nullptr;
    Metric metric;
    std::uint32_t begin = 0, end = 0;
  };
  /// The inputs of a part of the tree: the series that it reads itself, the values of its parts, or also the
  /// time.
  enum class Source : std::uint8_t { series, parts, time };
  /// State of a part of the tree that is kept from one time to the next.
  struct State {
    bool selected = false;
    std::vector<Selected> series;
    std::optional<bool> invariant;
    std::optional<Vector> cached;
    std::optional<Source> source;
    /// Last value, the version of its parts that it was computed from, and its memory in samples.
    std::optional<Vector> latest;
    std::uint64_t latest_of = 0;
    std::size_t weight = 0;
    /// Version of its value, and the time that the version is for.
    std::uint64_t version = 0;
    Timestamp seen_at = 0;
    /// Time until which series cannot change; and the numbers of failed searches for that time in a row, and
    /// of times until the next search.
    std::optional<Timestamp> steady_until;
    std::uint32_t vain = 0, passes = 0;
    /// Source series of each result, by its labels; used if names are dropped and there is more than one
    /// time.
    std::unordered_map<Metric, Metric, MetricHash> sources;
    // Of a subquery: its points from `from` to `to`, and its series in the order of their labels.
    std::vector<SubquerySeries> points;
    std::vector<std::size_t> order;
    std::unordered_map<Metric, std::size_t, MetricHash> index;
    std::optional<Timestamp> from, to;
  };

  /// The times at which the inner expression of a subquery is evaluated; none if `first` is after `last`.
  struct Steps {
    Timestamp first = 0, last = 0, step = 1;
  };

  // evaluator.cc
  static bool looks_at_time(const Call& call);
  bool is_invariant(const Expression& expression);
  Vector evaluate(const Expression& expression, Timestamp time);
  Vector selector(const Expression& expression, Timestamp time, bool keep_time);
  bool refuse_unsupported(const Series& series);
  bool refuse_unsupported(const Series& series, Timestamp first, Timestamp last);
  State& select(const Expression& expression, const SeriesStore& store);
  static std::size_t points_before(const std::vector<Point>& points, Timestamp time, bool at_it_too,
                                   std::uint32_t& cursor);
  Timestamp shifted(const TimeShift& shift, Timestamp time) const;
  bool windows(const Expression& expression, Timestamp time, const std::function<bool(const Window&)>& visit);
  bool range_windows(const MatrixSelector& matrix, Timestamp time,
                     const std::function<bool(const Window&)>& visit);
  bool subquery_windows(const Expression& expression, Timestamp time,
                        const std::function<bool(const Window&)>& visit);
  bool untimely_window(const Expression& expression, Timestamp time,
                       const std::function<bool(const Window&)>& visit);
  Steps steps_of(const Subquery& subquery, Timestamp time) const;
  bool fill_subquery(const Subquery& subquery, State& state, Timestamp first, Timestamp last, Timestamp step);
  Vector unary(const Expression& expression, Timestamp time);
  /// Returns whether evaluation may continue: checks the time limit once every few thousand units of work;
  /// false after a failure.
  bool may_continue(std::size_t work = 1);
  void drop_name(Sample& sample) const;
  bool refuse_duplicates(const Vector& vector);
  bool refuse_second_source(State& state, const Metric& result, const Metric& source);

  // steady.cc
  static bool looks_at_arguments_only(const Call& call);
  Source source_of(const Expression& expression, State& state);
  std::optional<Timestamp> steady_until(const Expression& expression, Timestamp time);
  Timestamp steady_until(const Selected& selected, Timestamp at, Timestamp length, bool of_range,
                         Timestamp last) const;
  void look_ahead(const Expression& expression, State& state, Timestamp time);
  const Vector& read(const Expression& expression, State& state, Timestamp time);
  std::uint64_t version(const Expression& expression, Timestamp time);
  /// Evaluates like `evaluate`, but reuses the value of the previous time if nothing has changed.
  Vector steady(const Expression& expression, Timestamp time);

  // binary.cc
  const VectorMatching& matching_of(const Binary& binary);
  std::vector<std::string> signatures(const Vector& vector, const VectorMatching& matching);
  Metric match_group(const Metric& metric, const VectorMatching& matching);
  Metric result_metric(const Metric& many, const Metric& one, const VectorMatching& matching,
                       bool without_name);
  Vector binary(const Expression& expression, Timestamp time);
  Vector with_scalar(const Binary& binary, Vector vector, double scalar, bool scalar_is_left, Span span);
  Vector set_operation(const Binary& binary, Vector lhs, Vector rhs);
  Vector matched(const Binary& binary, Vector lhs, Vector rhs, Span span);

  // aggregation.cc
  const std::vector<std::string>& grouping_of(const Aggregation& aggregation);
  Metric group_metric(const Metric& metric, const std::vector<std::string>& grouping, bool without);
  Vector aggregation(const Expression& expression, Timestamp time);
  Vector count_values(const Aggregation& aggregation, const Vector& input);
  Vector top(const Aggregation& aggregation, Vector input, double parameter);

  // calls.cc
  Vector call(const Expression& expression, Timestamp time);
  double scalar_call(const Call& call, Timestamp time);
  Vector range_call(const Expression& expression, Timestamp time);
  Vector absent_over_time(const Call& call, Timestamp time);
  Vector timestamps(const Call& call, Timestamp time);
  Vector clock_part(const Call& call, Timestamp time);
  Vector sorted(const Expression& expression, Timestamp time);
  Vector map_values(Vector vector, const std::function<double(double)>& function);

  // labels_functions.cc
  /// Returns the pattern, compiled once for all times; nullptr if it is not a valid expression.
  const Replacement* pattern(const std::string& regex);
  Vector label_replace(const Call& call, Timestamp time);
  Vector label_join(const Call& call, Timestamp time);

  // histogram.cc
  Vector histogram_quantile(const Expression& expression, Timestamp time);
  Vector histogram_fraction(const Expression& expression, Timestamp time);

  bool three() const { return options_.dialect == Dialect::prometheus3; }

  const SeriesStore& store_;
  const EngineOptions& options_;
  Annotations annotations_;
  Timestamp start_, end_;
  /// First and last time at which the current part is evaluated: the steps inside a subquery, and a single
  /// time for a part that is the same at all times.
  Timestamp from_, to_;
  std::optional<QueryError> error_;
  std::unordered_map<const Expression*, State> states_;
  std::unordered_map<std::string, Replacement> patterns_;  ///< patterns by their text
  // Lists of labels that are longer than one, each label once.
  std::unordered_map<const Binary*, VectorMatching> matchings_;
  std::unordered_map<const Aggregation*, std::vector<std::string>> groupings_;
  /// Labels of an aggregation's groups, by the key of Grouping: the same from one time to the next.
  std::unordered_map<const Aggregation*, std::unordered_map<std::string, Metric>> group_metrics_;
  std::size_t kept_ = 0, read_ = 0, work_ = 0;
  /// Number of samples of results that are kept for the next time.
  std::size_t remembered_ = 0;
  /// Size in bytes of the labels that functions, count_values and group_left created in the current step.
  std::size_t made_ = 0;
  /// Memory of all label sets that were created and are still in use.
  std::shared_ptr<LabelMemory> labels_ = std::make_shared<LabelMemory>();
  /// Number of checks of the time.
  std::uint32_t looks_ = 0;
  std::vector<std::uint32_t> seen_;
  int subquery_depth_ = 0;
};

/// Appends the labels that a vector match or a grouping reads, as a key: the named ones, or all but those and
/// the name. Keys are equal if and only if the labels are, whatever bytes their values have.
void append_signature(std::string& key, const Metric& metric, const std::vector<std::string>& labels,
                      bool named);

/// Returns whether one of a call's arguments is a range.
bool takes_range(const Call& call);

/// Returns the labels of a list without duplicates.
std::vector<std::string> distinct(std::vector<std::string> labels);

/// Returns the value at a quantile of values, interpolated between neighbours.
double quantile_of(double quantile, std::vector<double> values);

}  // namespace fairway::promql
