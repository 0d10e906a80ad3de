// SPDX-License-Identifier: Apache-2.0

#include "promql/internal/engine/evaluator.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "promql/internal/engine/arithmetic.h"

namespace fairway::promql {

namespace {

constexpr Nanoseconds millisecond = 1'000'000;
constexpr const char* too_many_samples =
    "query processing would load too many samples into memory in query execution";
/// Returns the approximate memory of a series in samples: its labels, and its entries in tables.
std::size_t weight_of(const Metric& metric) {
  constexpr std::size_t about_it = 200, shortest_apart = 16;
  std::size_t bytes = about_it;
  metric.for_each([&](const Label& label) {
    bytes += sizeof(Label);
    for (const std::string* text : {&label.first, &label.second})
      bytes += text->size() < shortest_apart ? 0 : text->size();
  });
  return bytes / sizeof(Point);
}

constexpr const char* same_labels = "vector cannot contain metrics with the same labelset";

}  // namespace

bool Evaluator::fail(std::string message, QueryError::Kind kind) {
  if (!error_) error_ = QueryError{kind, std::move(message), {}};
  return false;
}

bool Evaluator::keep(std::size_t samples) {
  kept_ += samples;
  return kept_ <= options_.max_samples || fail(too_many_samples, QueryError::Kind::limit);
}

bool Evaluator::keep_series(const Metric& metric) {
  return keep(weight_of(metric));
}

bool Evaluator::check_time() {
  if (failed()) return false;
  if (options_.stop.stop_requested())
    return fail("query was canceled in expression evaluation", QueryError::Kind::cancelled);
  if (options_.deadline && options_.clock != nullptr && options_.clock->steady() >= *options_.deadline)
    return fail("query timed out in expression evaluation", QueryError::Kind::timeout);
  // The kernel has to be asked how long a thread has computed, which takes longer than the time does.
  constexpr std::uint32_t every = 8;
  if (options_.cpu_until && looks_++ % every == 0 && options_.cpu_time() >= *options_.cpu_until)
    return fail("query used up its processor time", QueryError::Kind::too_costly);
  return true;
}

bool Evaluator::count_label(std::string_view maker, std::size_t name, std::size_t value) {
  // Calls within calls make labels grow by powers, and each series gets a copy of the name.
  constexpr std::size_t longest_value = std::size_t{1} << 20, most_bytes = std::size_t{64} << 20;
  made_ += name + value;
  if (value <= longest_value && made_ <= most_bytes) return !failed();
  return fail(std::string(maker) + "() makes labels of more than " +
                  std::to_string(value > longest_value ? longest_value : most_bytes) + " bytes",
              value > longest_value ? QueryError::Kind::limit : QueryError::Kind::too_costly);
}

Metric Evaluator::made(std::vector<Label> labels) {
  Metric metric(LabelSet::make(std::move(labels), labels_));
  if (labels_->used() > options_.max_label_bytes) {
    fail("the labels that the query makes take more than " + std::to_string(options_.max_label_bytes) +
             " bytes",
         QueryError::Kind::too_costly);
  }
  return metric;
}

/// Returns the metric with one label set, or removed if the value is empty.
Metric Evaluator::with_label(const Metric& metric, const std::string& name, std::string value) {
  std::vector<Label> labels = metric.labels();
  std::erase_if(labels, [&](const Label& label) { return label.first == name; });
  labels.emplace_back(name, std::move(value));
  return made(std::move(labels));
}

bool Evaluator::may_continue(std::size_t work) {
  constexpr std::size_t checked_after = 4096;
  work_ += work;
  if (work_ < checked_after) return !failed();
  work_ = 0;
  return check_time();
}

const std::string& Evaluator::string(const Expression& expression) {
  return std::get<StringLiteral>(without_parens(expression).node).value;
}

void Evaluator::drop_name(Sample& sample) const {
  if (!options_.delayed_name_removal) sample.metric.drop_name(options_.dialect);
  sample.drop_name = true;
}

bool Evaluator::refuse_duplicates(const Vector& vector) {
  if (vector.size() < 2) return true;
  // A hash table of numbers of samples, 0 where there is none.
  seen_.assign(std::bit_ceil(2 * vector.size()), 0);
  const std::size_t mask = seen_.size() - 1;
  for (std::size_t i = 0; i < vector.size(); ++i) {
    if (!may_continue()) return false;
    std::size_t slot = vector[i].metric.hash() & mask;
    for (; seen_[slot] != 0; slot = (slot + 1) & mask) {
      if (vector[seen_[slot] - 1].metric == vector[i].metric) return fail(same_labels);
    }
    seen_[slot] = static_cast<std::uint32_t>(i + 1);
  }
  return true;
}

/// Rejects two source series with the same result labels. Prometheus evaluates a function of ranges series by
/// series, each for all times, so it rejects them even if they never exist at the same time.
bool Evaluator::refuse_second_source(State& state, const Metric& result, const Metric& source) {
  const auto [known, is_new] = state.sources.try_emplace(result, source);
  constexpr std::size_t entry = 8;
  if (is_new) return keep(entry);
  return known->second == source || fail(same_labels);
}

void Evaluator::finish(Vector& vector) {
  if (!options_.delayed_name_removal) return;
  for (Sample& sample : vector) {
    if (sample.drop_name) sample.metric.drop_name(options_.dialect);
  }
  refuse_duplicates(vector);
}

/// Returns whether a function uses the evaluation time: timestamp() does for any argument but a selector, and
/// all functions for parts of dates are assumed to.
bool Evaluator::looks_at_time(const Call& call) {
  static constexpr std::string_view names[] = {"minute",      "hour",          "day_of_week", "day_of_month",
                                               "day_of_year", "days_in_month", "month",       "year",
                                               "time",        "predict_linear"};
  const std::string_view name = call.function->name;
  if (name == "timestamp")
    return !std::holds_alternative<VectorSelector>(without_parens(*call.arguments[0]).node);
  return std::ranges::find(names, name) != std::end(names);
}

/// Returns whether an expression has the same value at every time of the query.
bool Evaluator::is_invariant(const Expression& expression) {
  std::optional<bool>& known = states_[&expression].invariant;
  if (known) return *known;
  bool result = true;
  if (const auto* selector = std::get_if<VectorSelector>(&expression.node)) {
    result = selector->time.anchor != TimeShift::Anchor::none;
  } else if (const auto* subquery = std::get_if<Subquery>(&expression.node)) {
    result = subquery->time.anchor != TimeShift::Anchor::none;
  } else {
    const auto* call = std::get_if<Call>(&expression.node);
    const auto* aggregation = std::get_if<Aggregation>(&expression.node);
    if (call != nullptr && looks_at_time(*call)) {
      result = false;
    } else if (aggregation != nullptr) {
      // Prometheus does not ask whether the parameter changes, and takes its first value.
      result = is_invariant(*aggregation->expression);
    } else {
      for_each_child(expression, [&](const Expression& child) { result = result && is_invariant(child); });
    }
  }
  // The children may have moved the map's contents, not its nodes.
  states_[&expression].invariant = result;
  return result;
}

double Evaluator::scalar(const Expression& expression, Timestamp time) {
  if (const auto* number = std::get_if<NumberLiteral>(&expression.node)) return number->value;
  if (const auto* paren = std::get_if<Paren>(&expression.node)) return scalar(*paren->expression, time);
  if (const auto* unary = std::get_if<Unary>(&expression.node)) {
    const double value = scalar(*unary->operand, time);
    return unary->op == TokenKind::sub ? -value : value;
  }
  if (const auto* call = std::get_if<Call>(&expression.node)) return scalar_call(*call, time);
  const auto& binary = std::get<Binary>(expression.node);
  const double left = scalar(*binary.lhs, time);
  const double right = scalar(*binary.rhs, time);
  return scalar_operation(binary.op, left, right);
}

Vector Evaluator::vector(const Expression& expression, Timestamp time) {
  if (!check_time()) return {};
  const bool single = start_ == end_ && subquery_depth_ == 0;
  if (single) return evaluate(expression, time);
  if (!is_invariant(expression)) return steady(expression, time);
  if (const auto& cached = states_[&expression].cached) return *cached;
  const Timestamp to = std::exchange(to_, from_);
  const std::size_t made = made_;
  Vector result = evaluate(expression, time);
  to_ = to;
  if (!failed() && keep(result.size() + (made_ - made) / sizeof(Point))) states_[&expression].cached = result;
  return result;
}

Vector Evaluator::evaluate(const Expression& expression, Timestamp time) {
  if (std::holds_alternative<VectorSelector>(expression.node)) return selector(expression, time, false);
  if (const auto* paren = std::get_if<Paren>(&expression.node)) return vector(*paren->expression, time);
  if (std::holds_alternative<Unary>(expression.node)) return unary(expression, time);
  if (std::holds_alternative<Binary>(expression.node)) return binary(expression, time);
  if (std::holds_alternative<Aggregation>(expression.node)) return aggregation(expression, time);
  return call(expression, time);
}

Vector Evaluator::unary(const Expression& expression, Timestamp time) {
  const auto& node = std::get<Unary>(expression.node);
  Vector result = vector(*node.operand, time);
  if (node.op != TokenKind::sub) return result;
  // 2.x looks at all times at once; 3 makes one series of those that follow one another.
  State* const state = three() ? nullptr : &states_[&expression];
  for (Sample& sample : result) {
    const Metric source = sample.metric;
    drop_name(sample);
    sample.value = -sample.value;
    if (state != nullptr && !refuse_second_source(*state, sample.metric, source)) return {};
  }
  if (!options_.delayed_name_removal) refuse_duplicates(result);
  return result;
}

bool Evaluator::refuse_unsupported(const Series& series) {
  if (failed()) return false;
  error_ = QueryError{QueryError::Kind::unsupported,
                      series.unsupported_feature + " are not supported, and " +
                          Metric(series.labels).to_string() + " has them",
                      series.unsupported_feature};
  return false;
}

/// Rejects a series with unsupported contents at a time from `first` to `last`; true if it has none there.
bool Evaluator::refuse_unsupported(const Series& series, Timestamp first, Timestamp last) {
  const auto at = std::ranges::lower_bound(series.unsupported_at, first);
  return at == series.unsupported_at.end() || *at > last || refuse_unsupported(series);
}

Evaluator::State& Evaluator::select(const Expression& expression, const SeriesStore& store) {
  State& state = states_[&expression];
  if (state.selected) return state;
  state.selected = true;
  const auto found =
      store.select(std::get<VectorSelector>(expression.node).matchers, [this] { return check_time(); });
  if (found.size() > options_.max_series) {
    fail("the selector finds " + std::to_string(found.size()) + " series, more than the limit of " +
             std::to_string(options_.max_series),
         QueryError::Kind::limit);
  }
  state.series.reserve(found.size());
  for (const Series* series : found) {
    state.series.push_back({series, Metric(series->labels)});
    if (!series->unsupported_feature.empty() && series->unsupported_at.empty()) refuse_unsupported(*series);
  }
  return state;
}

/// Returns the number of points before `time`, including one at `time` if `at_it_too`. `cursor` is the result
/// of the last search in this series: times mostly grow step by step.
std::size_t Evaluator::points_before(const std::vector<Point>& points, Timestamp time, bool at_it_too,
                                     std::uint32_t& cursor) {
  const auto before = [&](const Point& point) {
    return point.time < time || (at_it_too && point.time == time);
  };
  if (points.empty() || before(points.back())) return points.size();
  constexpr std::size_t near = 4;
  std::size_t at = cursor;
  if (at > 0 && !before(points[at - 1])) at = 0;
  const std::size_t limit = std::min(at + near, points.size());
  while (at < limit && before(points[at])) ++at;
  if (at == limit) {
    const auto found =
        std::partition_point(points.begin() + static_cast<std::ptrdiff_t>(at), points.end(), before);
    at = static_cast<std::size_t>(found - points.begin());
  }
  cursor = static_cast<std::uint32_t>(at);
  return at;
}

/// Returns the time that a selector reads when it is evaluated at `time`.
Timestamp Evaluator::shifted(const TimeShift& shift, Timestamp time) const {
  switch (shift.anchor) {
    case TimeShift::Anchor::none:
      break;
    case TimeShift::Anchor::timestamp:
      time = std::clamp(shift.timestamp, -time_limit, time_limit);
      break;
    case TimeShift::Anchor::start:
      time = start_;
      break;
    case TimeShift::Anchor::end:
      time = end_;
      break;
  }
  return time - shift.offset / millisecond;
}

Vector Evaluator::selector(const Expression& expression, Timestamp time, bool keep_time) {
  State& state = select(expression, options_.present != nullptr ? *options_.present : store_);
  if (failed()) return {};
  const Timestamp at = shifted(std::get<VectorSelector>(expression.node).time, time);
  const Timestamp oldest = at - options_.lookback.count();
  Vector result;
  result.reserve(state.series.size());
  for (Selected& selected : state.series) {
    const std::vector<Point>& points = selected.series->points;
    const std::size_t count = points_before(points, at, true, selected.end);
    if (!selected.series->unsupported_at.empty()) {
      const Timestamp after = count == 0 ? oldest : std::max(oldest, points[count - 1].time + 1);
      if (!refuse_unsupported(*selected.series, three() ? std::max(oldest + 1, after) : after, at)) return {};
    }
    if (count == 0) continue;
    const Point& point = points[count - 1];
    // In Prometheus 3 the oldest moment does not belong to the lookback.
    if (point.time < oldest || (point.time == oldest && three()) || is_stale(point.value)) continue;
    result.push_back({selected.metric, point.value, keep_time ? point.time : time, false});
  }
  read_ += result.size();
  if (result.size() > options_.max_samples || read_ > options_.max_samples_read)
    fail(too_many_samples, QueryError::Kind::limit);
  return result;
}

bool Evaluator::range_windows(const MatrixSelector& matrix, Timestamp time,
                              const std::function<bool(const Window&)>& visit) {
  const auto& node = std::get<VectorSelector>(matrix.selector->node);
  State& state = select(*matrix.selector, store_);
  if (failed() || !check_time()) return false;
  const Timestamp last = shifted(node.time, time);
  const Timestamp before = last - matrix.range / millisecond;
  std::vector<Point> without_stale;
  for (Selected& selected : state.series) {
    const std::vector<Point>& points = selected.series->points;
    // (before, last] in Prometheus 3, [before, last] in 2.x.
    const std::size_t begin = points_before(points, before, three(), selected.begin);
    const std::size_t end = points_before(points, last, true, selected.end);
    if (!refuse_unsupported(*selected.series, three() ? before + 1 : before, last)) return false;
    std::span<const Point> window(points.data() + begin, std::max(begin, end) - begin);
    if (selected.series->has_stale_markers) {
      without_stale.clear();
      std::ranges::copy_if(window, std::back_inserter(without_stale),
                           [](const Point& point) { return !is_stale(point.value); });
      window = without_stale;
    }
    if (window.empty()) continue;
    read_ += window.size();
    if (window.size() > options_.max_samples || read_ > options_.max_samples_read)
      return fail(too_many_samples, QueryError::Kind::limit);
    if (!visit({selected.metric, window, false})) return false;
  }
  return true;
}

/// Evaluates the inner expression of a subquery at each step from `first` to `last` that is not known yet.
bool Evaluator::fill_subquery(const Subquery& subquery, State& state, Timestamp first, Timestamp last,
                              Timestamp step) {
  const bool continues = state.from && *state.from <= first && first <= *state.to + step;
  if (!continues) {
    for (const SubquerySeries& series : state.points)
      kept_ -= std::min(kept_, series.points.size() + weight_of(series.metric));
    state.points.clear();
    state.order.clear();
    state.index.clear();
    state.from = first;
    state.to = first - step;
  }
  if ((last - *state.to) / step > static_cast<Timestamp>(options_.max_samples))
    return fail(too_many_samples, QueryError::Kind::limit);
  const Timestamp from = std::exchange(from_, steps_of(subquery, from_).first);
  const Timestamp to = std::exchange(to_, steps_of(subquery, to_).last);
  const std::size_t made = made_;
  ++subquery_depth_;
  for (Timestamp at = *state.to + step; at <= last; at += step) {
    made_ = made;
    Vector samples;
    if (subquery.expression->type == ValueType::scalar) {
      samples.push_back({Metric(), scalar(*subquery.expression, at), at, false});
    } else {
      samples = vector(*subquery.expression, at);
    }
    if (failed() || !keep(samples.size()) || !check_time()) break;
    for (Sample& sample : samples) {
      const auto [found, is_new] = state.index.try_emplace(sample.metric, state.points.size());
      if (is_new) {
        if (!keep_series(sample.metric)) break;
        state.points.push_back({sample.metric, sample.drop_name, {}});
      }
      state.points[found->second].points.push_back({at, sample.value});
    }
    state.to = at;
  }
  --subquery_depth_;
  from_ = from;
  to_ = to;
  if (failed()) return false;
  if (state.order.size() != state.points.size()) {
    for (std::size_t i = state.order.size(); i < state.points.size(); ++i) state.order.push_back(i);
    std::ranges::sort(state.order, [&](std::size_t a, std::size_t b) {
      return state.points[a].metric < state.points[b].metric;
    });
  }
  return true;
}

/// Returns the steps of a subquery. They are multiples of the step length, so that they do not move with the
/// query.
Evaluator::Steps Evaluator::steps_of(const Subquery& subquery, Timestamp time) const {
  const Timestamp last = shifted(subquery.time, time);
  const Timestamp before = last - subquery.range / millisecond;
  const Timestamp step = std::max<Timestamp>(
      1, subquery.step == 0 ? options_.default_step.count() : subquery.step / millisecond);
  Timestamp first = step * (before / step);
  if (first < before || (first == before && three())) first += step;
  return {first, last, step};
}

bool Evaluator::subquery_windows(const Expression& expression, Timestamp time,
                                 const std::function<bool(const Window&)>& visit) {
  const auto& subquery = std::get<Subquery>(expression.node);
  // A step of none, to Prometheus, which fails as it divides by it.
  if (subquery.step != 0 && subquery.step < millisecond)
    return fail("the step of a subquery is less than a millisecond, the shortest there is");
  const auto [first, last, step] = steps_of(subquery, time);
  if (first > last) return check_time();
  State& state = states_[&expression];
  if (!fill_subquery(subquery, state, first, last, step)) return false;
  for (const std::size_t number : state.order) {
    SubquerySeries& series = state.points[number];
    std::vector<Point>& points = series.points;
    auto begin = std::ranges::lower_bound(points, first, {}, &Point::time);
    const auto passed = static_cast<std::size_t>(begin - points.begin());
    if (passed > 1000 && passed > points.size() / 2) {
      begin = points.erase(points.begin(), begin);
      kept_ -= std::min(kept_, passed);
      state.from = std::max(*state.from, first);
    }
    const auto end = std::upper_bound(begin, points.end(), last,
                                      [](Timestamp t, const Point& point) { return t < point.time; });
    if (begin != end && !visit({series.metric, {begin, end}, series.drop_name})) return false;
  }
  return true;
}

/// Calls `visit` with each series of a range that has points; false after a failure or if `visit` returns
/// false.
bool Evaluator::windows(const Expression& expression, Timestamp time,
                        const std::function<bool(const Window&)>& visit) {
  const Expression& inner = without_parens(expression);
  if (const auto* matrix = std::get_if<MatrixSelector>(&inner.node))
    return range_windows(*matrix, time, visit);
  return subquery_windows(inner, time, visit);
}

/// Handles a subquery none of whose steps falls into its range, which has no points. But if its inner
/// expression is the same at all times, 2.x shows one point, at the first step after the range. Returns false
/// if this is not such a case.
bool Evaluator::untimely_window(const Expression& expression, Timestamp time,
                                const std::function<bool(const Window&)>& visit) {
  const auto* subquery = std::get_if<Subquery>(&expression.node);
  if (subquery == nullptr || three()) return false;
  const Steps steps = steps_of(*subquery, time);
  if (steps.first <= steps.last || !is_invariant(*subquery->expression)) return false;
  ++subquery_depth_;
  const Vector samples = vector(*subquery->expression, steps.first);
  --subquery_depth_;
  for (const Sample& sample : samples) {
    const Point point{steps.first, sample.value};
    if (failed() || !visit({sample.metric, {&point, 1}, sample.drop_name})) break;
  }
  return true;
}

std::vector<SeriesResult> Evaluator::matrix(const Expression& expression, Timestamp time) {
  std::vector<SeriesResult> result;
  const auto add = [&](const Window& window) {
    if (!keep(window.points.size())) return false;
    Metric metric = window.metric;
    if (window.drop_name) metric.drop_name(options_.dialect);
    result.push_back({std::move(metric), {window.points.begin(), window.points.end()}});
    return true;
  };
  if (!untimely_window(without_parens(expression), time, add)) windows(expression, time, add);
  if (failed()) return {};
  std::ranges::sort(result, [](const SeriesResult& a, const SeriesResult& b) { return a.metric < b.metric; });
  return result;
}

}  // namespace fairway::promql
