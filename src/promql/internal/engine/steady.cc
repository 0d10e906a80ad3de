// SPDX-License-Identifier: Apache-2.0

// Results that are the same as at the step before, and need not be computed again: most data of a range
// query, such as the type of a cluster's infrastructure, does not change from one step to the next.
#include <algorithm>
#include <bit>
#include <utility>

#include "promql/internal/engine/evaluator.h"

namespace fairway::promql {

namespace {

/// Returns whether two results differ at most in their times.
bool same(const Vector& a, const Vector& b) {
  return std::ranges::equal(a, b, [](const Sample& left, const Sample& right) {
    // Bit by bit: 0 and -0 are shown, and what is no number is equal to itself.
    return std::bit_cast<std::uint64_t>(left.value) == std::bit_cast<std::uint64_t>(right.value) &&
           left.drop_name == right.drop_name && left.metric == right.metric;
  });
}

}  // namespace

/// Returns whether a call depends on its arguments only, and not on the time. Functions of histograms do not
/// qualify: their infos count the evaluations.
bool Evaluator::looks_at_arguments_only(const Call& call) {
  const std::string_view name = call.function->name;
  return name != "timestamp" && !looks_at_time(call) && !name.starts_with("histogram_");
}

Evaluator::Source Evaluator::source_of(const Expression& expression, State& state) {
  if (state.source) return *state.source;
  Source source = Source::parts;
  const auto* const call = std::get_if<Call>(&expression.node);
  if (std::holds_alternative<VectorSelector>(expression.node) || (call != nullptr && takes_range(*call))) {
    source = Source::series;
  } else if (call != nullptr && !looks_at_arguments_only(*call)) {
    source = Source::time;
  } else {
    for_each_child(expression, [&](const Expression& part) {
      if (!is_invariant(part) && source_of(part, states_[&part]) == Source::time) source = Source::time;
    });
  }
  state.source = source;
  return source;
}

/// Returns the time until which a series has the same value as at `at`; for a range, until which its values
/// are all the same. Times are those of the series; later points than `last` do not matter. Less than `at` if
/// the time is not known.
Timestamp Evaluator::steady_until(const Selected& selected, Timestamp at, Timestamp length, bool of_range,
                                  Timestamp last) const {
  const std::vector<Point>& points = selected.series->points;
  if (!selected.series->unsupported_at.empty()) return at - 1;
  const Timestamp before = at - length;
  const auto in_view = [&](const Point& point) {
    return three() ? point.time > before : point.time >= before;
  };
  const auto bits = [&](std::size_t i) { return std::bit_cast<std::uint64_t>(points[i].value); };
  std::uint32_t cursor = selected.end;
  const std::size_t end = points_before(points, at, true, cursor);
  const auto before_next = [&](std::size_t next) {
    return next < points.size() ? points[next].time - 1 : time_limit;
  };
  if (of_range && selected.series->has_stale_markers) return at - 1;
  if (end == 0 || !in_view(points[end - 1]) || is_stale(points[end - 1].value)) return before_next(end);
  const std::uint64_t value = bits(end - 1);
  for (std::size_t i = end - 1; of_range && i > 0 && in_view(points[i - 1]); --i) {
    if (bits(i - 1) != value) return at - 1;
  }
  std::size_t next = end;
  while (next < points.size() && bits(next) == value && points[next].time - points[next - 1].time < length &&
         points[next - 1].time <= last)
    ++next;
  const Timestamp out_of_view = points[next - 1].time + length - (three() ? 1 : 0);
  return std::min(before_next(next), out_of_view);
}

/// Returns the time until which an expression that reads series keeps its value of `time`; std::nullopt if
/// that is not known. Of the functions, only those count that return the common value if all points of a
/// range are equal.
std::optional<Timestamp> Evaluator::steady_until(const Expression& expression, Timestamp time) {
  const Expression* selector = &expression;
  Timestamp length = options_.lookback.count();
  const auto* const call = std::get_if<Call>(&expression.node);
  if (call != nullptr) {
    static constexpr std::string_view names[] = {"first_over_time", "last_over_time", "max_over_time",
                                                 "min_over_time", "present_over_time"};
    if (std::ranges::find(names, call->function->name) == std::end(names)) return std::nullopt;
    const auto* const matrix = std::get_if<MatrixSelector>(&without_parens(*call->arguments.front()).node);
    if (matrix == nullptr) return std::nullopt;
    selector = matrix->selector.get();
    length = matrix->range / 1'000'000;
  }
  const TimeShift& shift = std::get<VectorSelector>(selector->node).time;
  const Timestamp at = shifted(shift, time), last = shifted(shift, to_);
  Timestamp until = last;
  for (const Selected& selected : states_[selector].series) {
    if (!may_continue()) return std::nullopt;
    until = std::min(until, steady_until(selected, at, length, call != nullptr, last));
    if (until <= at) return std::nullopt;
  }
  return until + (time - at);
}

/// Searches for the time until which series do not change. After each failed search the next one comes half
/// as often.
void Evaluator::look_ahead(const Expression& expression, State& state, Timestamp time) {
  constexpr std::uint32_t most = 6;
  if (state.passes > 0) {
    --state.passes;
    return;
  }
  state.steady_until = steady_until(expression, time);
  state.vain = state.steady_until ? 0 : std::min(state.vain + 1, most);
  state.passes = (1U << state.vain) - 1;
}

/// Returns the value of a part that reads series at a time; its version counts the changes.
const Vector& Evaluator::read(const Expression& expression, State& state, Timestamp time) {
  if (state.latest && state.seen_at == time) return *state.latest;
  if (state.latest && state.steady_until && state.seen_at < time && time <= *state.steady_until) {
    state.seen_at = time;
    read_ += state.latest->size();
    return *state.latest;
  }
  state.steady_until.reset();
  Vector now = evaluate(expression, time);
  if (!state.latest || !same(*state.latest, now)) {
    state.latest = std::move(now);
    ++state.version;
  } else if (!failed()) {
    look_ahead(expression, state, time);
  }
  state.seen_at = time;
  return *state.latest;
}

/// Returns a number that differs as soon as any series below the expression has changed: the sum of their
/// versions, which only grow.
std::uint64_t Evaluator::version(const Expression& expression, Timestamp time) {
  State& state = states_[&expression];
  if (state.seen_at == time && state.version > 0) return state.version;
  if (is_invariant(expression)) return 0;
  if (source_of(expression, state) == Source::series) {
    read(expression, state, time);
    return state.version;
  }
  std::uint64_t sum = 1;
  for_each_child(expression, [&](const Expression& part) {
    if (!failed()) sum += version(part, time);
  });
  state.seen_at = time;
  return state.version = sum;
}

Vector Evaluator::steady(const Expression& expression, Timestamp time) {
  State& state = states_[&expression];
  const Source source = source_of(expression, state);
  if (source == Source::time) return evaluate(expression, time);
  if (source == Source::series) return read(expression, state, time);
  if (state.latest) {
    const std::uint64_t now = version(expression, time);
    if (failed()) return {};
    if (now == state.latest_of) return *state.latest;
    // Gone before its successor is made, so that only one of them takes memory.
    remembered_ -= std::exchange(state.weight, 0);
    state.latest.reset();
  }
  const std::size_t made = made_;
  Vector result = evaluate(expression, time);
  if (failed()) return {};
  constexpr std::size_t most = 1'000'000;
  const std::size_t weight = result.size() + (made_ - made) / sizeof(Sample);
  if (remembered_ + weight > most) return result;
  const std::uint64_t now = version(expression, time);
  if (failed()) return {};
  state.latest = result;
  state.latest_of = now;
  remembered_ += state.weight = weight;
  return result;
}

}  // namespace fairway::promql
