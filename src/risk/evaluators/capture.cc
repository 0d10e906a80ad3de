// SPDX-License-Identifier: Apache-2.0

#include "risk/evaluators/capture.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "promql/engine/exposition_text.h"
#include "promql/engine/result_reader.h"
#include "promql/engine/series.h"
#include "promql/guard/query_window.h"
#include "promql/parser/go_text.h"
#include "promql/parser/matcher.h"
#include "risk/internal/evaluators/captured.h"
#include "risk/internal/evaluators/snapshot_series.h"

namespace fairway::risk {

namespace {

constexpr std::chrono::milliseconds lookback = captured_lookback;
/// Margin added to reaches: the guard counts in seconds, and windows may be closed.
constexpr std::chrono::milliseconds margin = std::chrono::seconds(1);

/// The reach of some queries into the past of a metric.
struct Need {
  std::chrono::milliseconds reach{};
  /// True if a subquery or an offset reads which series existed in the past.
  bool in_past = false;
};
using Needs = std::map<std::string, Need>;

/// The times that a part of a query reads.
enum class View { present, range, past };

class NeedFinder {
 public:
  NeedFinder(Needs& needs, std::chrono::milliseconds reach) : needs_(needs), reach_(reach) {}

  /// Returns whether each selector names its metric.
  bool look(const promql::Expression& expression, View view = View::present) {
    if (const auto* selector = std::get_if<promql::VectorSelector>(&expression.node))
      return record(*selector,
                    view == View::present && selector->time != promql::TimeShift{} ? View::past : view);
    if (std::holds_alternative<promql::MatrixSelector>(expression.node))
      view = View::range;
    else if (std::holds_alternative<promql::Subquery>(expression.node))
      view = View::past;
    bool named = true;
    promql::for_each_child(expression,
                           [&](const promql::Expression& child) { named = look(child, view) && named; });
    return named;
  }

 private:
  bool record(const promql::VectorSelector& selector, View view) {
    const std::optional<std::string> metric = metric_of(selector);
    if (!metric) return false;
    Need& need = needs_[*metric];
    need.reach = std::max(need.reach, reach_);
    if (view == View::past) need.in_past = true;
    return true;
  }

  Needs& needs_;
  const std::chrono::milliseconds reach_;
};

std::string key_of(const promql::LabelsRef& labels) {
  return promql::Metric(labels).to_string();
}

/// Query that Prometheus 2 and 3 answer differently: ranges are open at the left in Prometheus 3 only, so it
/// counts 2 steps there, and 3 in 2.x.
constexpr std::string_view telling_query = "count_over_time(vector(1)[2s:1s])";

constexpr std::string_view dialect_mark = "# fairway: dialect ";

std::string_view name_of(CapturedDialect dialect) {
  if (dialect == CapturedDialect::prometheus2) return "2";
  return dialect == CapturedDialect::prometheus3 ? "3" : "unknown";
}

class Capturer {
 public:
  Capturer(PrometheusApi& api, const CaptureLimits& limits, const std::stop_token& stop)
      : api_(api), limits_(limits), stop_(stop) {}

  /// Queries the server's time, which is then the time of all other queries.
  Result<void> begin() {
    const auto reply = api_.query("time()", stop_);
    if (!reply)
      return fail(ErrorCode::unavailable, "asking Prometheus for its time: " + reply.error().message);
    const json::Value* result = json::find(reply->data, "result");
    const auto point = result != nullptr ? promql::read_point(*result)
                                         : fail(ErrorCode::unavailable, "bad_response: there is no result");
    if (!point) return fail(point.error().within("asking Prometheus for its time"));
    capture_.time = point->time;
    capture_.dialect = ask_dialect();
    if (capture_.dialect == CapturedDialect::unknown) {
      capture_.problems.emplace_back(
          "the server does not show whether it evaluates as Prometheus 2 or 3: rules that the two answer "
          "differently fail over it");
    }
    capture_.text = std::string(dialect_mark) + std::string(name_of(capture_.dialect)) + "\n";
    return {};
  }

  void add(const std::string& metric, const Need& need) {
    const std::size_t before = capture_.text.size();
    if (auto done = fetch(metric, need); !done) {
      capture_.text.resize(before);
      capture_.problems.push_back(printable(metric, 200) + " is not in it: " + done.error().message);
    }
  }

  Capture take() {
    if (capture_.metrics == 0) capture_.text.clear();
    return std::move(capture_);
  }
  Capture& capture() { return capture_; }

 private:
  using Store = promql::SeriesStore;

  Result<FetchedSeries> ask(const std::string& query, promql::Timestamp time) {
    const auto reply = api_.query(query, stop_, limits_.max_answer_bytes, time);
    if (!reply) return fail(ErrorCode::unavailable, reply.error().message);
    if (!reply->warnings.empty())
      return fail(ErrorCode::unavailable, "the server warns: " + reply->warnings.front());
    return read_fetched_series(reply->data, {.series = 200'000, .samples = limits_.samples});
  }

  CapturedDialect ask_dialect() {
    const auto answer = ask(std::string(telling_query), capture_.time - capture_.time % 1000);
    const auto found = answer ? answer->series.select({}) : std::vector<const promql::Series*>();
    if (found.size() != 1 || found.front()->points.size() != 1) return CapturedDialect::unknown;
    const double steps = found.front()->points.front().value;
    if (steps == 2) return CapturedDialect::prometheus3;
    return steps == 3 ? CapturedDialect::prometheus2 : CapturedDialect::unknown;
  }

  Result<void> fetch(const std::string& metric, const Need& need) {
    const std::string selector = "{__name__=" + promql::quote(metric) + "}";
    auto present = ask(selector, capture_.time);
    if (!present) return fail(present.error());
    std::map<std::string, double> now;
    for (const promql::Series* series : present->series.select({}))
      now[key_of(series->labels)] = series->points.back().value;
    Store store;
    const promql::Timestamp since = capture_.time - (need.reach + lookback + margin).count();
    for (promql::Timestamp end = capture_.time; end > since; end -= limits_.part.count()) {
      const auto length = std::min<promql::Timestamp>(limits_.part.count(), end - since);
      auto part = ask(selector + "[" + std::to_string(length) + "ms]", end);
      if (!part) return fail(part.error());
      for (const promql::Series* series : part->series.select({})) {
        for (const promql::Point& point : series->points) store.add(series->labels, point.time, point.value);
      }
      if (capture_.samples + store.point_count() > limits_.samples) {
        return fail(ErrorCode::too_large, "a capture has at most " + std::to_string(limits_.samples) +
                                              " samples, and there are more");
      }
    }
    write(metric, need, store, now, ends_of(metric, need, store, now));
    const std::string marker = promql::series_text(*promql::LabelSet::make(
        {{std::string(promql::metric_name_label), std::string(captured_metric)}, {"metric", metric}}));
    promql::append_sample(capture_.text, marker, 1, since);
    promql::append_sample(capture_.text, marker, 1, capture_.time);
    ++capture_.metrics;
    return {};
  }

  /// Returns the ends of series that no longer exist, by their keys: the second at which they were first
  /// missing. A series is left out if it just had no samples for the whole lookback.
  std::map<std::string, promql::Timestamp> ends_of(const std::string& metric, const Need& need,
                                                   const Store& store,
                                                   const std::map<std::string, double>& now) {
    std::vector<const promql::Series*> ended;
    if (need.reach.count() == 0) return {};
    for (const promql::Series* series : store.select({})) {
      if (!now.contains(key_of(series->labels))) ended.push_back(series);
    }
    std::ranges::sort(ended, std::greater(), [](const auto* series) { return series->points.back().time; });
    std::map<std::string, promql::Timestamp> ends;
    std::string fault;
    for (std::size_t i = 0, part = 0; i < ended.size(); ++part) {
      const promql::Timestamp last = ended[i]->points.back().time;
      auto seen =
          fault.empty() ? seen_until(metric, last, part) : Result<Seen>(fail(ErrorCode::unavailable, fault));
      if (!seen) {
        fault = seen.error().message;
        seen = Seen();
      }
      for (; i < ended.size() && ended[i]->points.back().time >= last - lookback.count(); ++i) {
        const std::string key = key_of(ended[i]->labels);
        const promql::Timestamp from = ended[i]->points.back().time, alive = from + lookback.count();
        // It is only known that the series is not there at the time of the capture.
        promql::Timestamp end = capture_.time;
        if (fault.empty()) {
          const auto found = seen->find(key);
          const promql::Timestamp until = found == seen->end() ? from : std::max(from, found->second);
          end = std::min(end, (until / 1000 + 1) * 1000);
        }
        if (end < alive) ends.emplace(key, end);
      }
    }
    if (!fault.empty() && need.in_past)
      capture_.problems.push_back(printable(metric, 200) +
                                  ": some of its series may end up to five minutes " +
                                  "late in subqueries and behind offset: " + fault);
    return ends;
  }

  /// Times until which series were seen, for series that had their last sample within five minutes up to
  /// `last`.
  using Seen = std::map<std::string, promql::Timestamp>;
  Result<Seen> seen_until(const std::string& metric, promql::Timestamp last, std::size_t part) {
    if (part == limits_.end_parts)
      return fail(ErrorCode::too_large, "series of this metric end in too many five minutes of it");
    const promql::Timestamp end = std::min(capture_.time, last + lookback.count() + margin.count());
    const auto length = 2 * lookback + margin;
    const auto found =
        ask("{__name__=" + promql::quote(metric) + "}[" + std::to_string(length.count()) + "ms:1s]", end);
    if (!found) return fail(found.error());
    Seen seen;
    for (const promql::Series* series : found->series.select({})) {
      if (!series->points.empty()) seen[key_of(series->labels)] = series->points.back().time;
    }
    return seen;
  }

  void write(const std::string& metric, const Need& need, const Store& store,
             const std::map<std::string, double>& now, const std::map<std::string, promql::Timestamp>& ends) {
    std::size_t series_written = 0;
    for (const promql::Series* series : store.select({})) {
      const std::string key = key_of(series->labels);
      std::span<const promql::Point> points = series->points;
      const auto end = ends.find(key);
      if (end != ends.end()) {
        const auto from = std::ranges::lower_bound(points, end->second, {}, &promql::Point::time);
        points = points.first(static_cast<std::size_t>(from - points.begin()));
      }
      if (need.reach.count() == 0)
        points = now.contains(key) ? points.last(1) : std::span<const promql::Point>();
      if (points.empty()) continue;
      ++series_written;
      capture_.samples += points.size();
      const std::string text = promql::series_text(*series->labels);
      for (const promql::Point& point : points)
        promql::append_sample(capture_.text, text, point.value, point.time);
      if (end != ends.end()) promql::append_series_end(capture_.text, text, end->second);
    }
    capture_.series += series_written;
    if (series_written == 0) capture_.absent.push_back(metric);
  }

  PrometheusApi& api_;
  const CaptureLimits& limits_;
  const std::stop_token& stop_;
  Capture capture_;
};

}  // namespace

Result<CapturedDialect> read_captured_dialect(std::string_view text) {
  CapturedDialect said = CapturedDialect::unsaid;
  int number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    line = trim(line);
    if (!line.starts_with(dialect_mark)) continue;
    const std::string_view name = trim(line.substr(dialect_mark.size()));
    CapturedDialect here = CapturedDialect::unknown;
    if (name == "2") {
      here = CapturedDialect::prometheus2;
    } else if (name == "3") {
      here = CapturedDialect::prometheus3;
    } else if (name != name_of(CapturedDialect::unknown)) {
      return fail(ErrorCode::invalid, "line " + std::to_string(number) + ": the dialect '" +
                                          printable(name, 80) + "' is none of 2, 3 and unknown");
    }
    said = said == CapturedDialect::unsaid || said == here ? here : CapturedDialect::unknown;
  }
  return said;
}

bool has_capture(const promql::SeriesStore& series) {
  return !Captured(series).empty();
}

Result<Capture> capture_series(PrometheusApi& api, std::span<const QuestionPointer> questions,
                               const std::stop_token& stop, const CaptureLimits& limits) {
  Needs needs;
  Capturer capturer(api, limits, stop);
  if (auto begun = capturer.begin(); !begun) return fail(begun.error());
  for (const QuestionPointer& question : questions) {
    const std::string shown = printable(trim(question->query), 200);
    if (promql::has_fixed_time(*question->expression)) {
      capturer.capture().problems.push_back("a query looks at a fixed time, which is not captured: " + shown);
      continue;
    }
    NeedFinder finder(needs, promql::reach_of(question->cost));
    if (!finder.look(*question->expression))
      capturer.capture().problems.push_back("a query does not name its metrics: " + shown);
  }
  for (const auto& [metric, need] : needs) {
    if (stop.stop_requested()) return fail(ErrorCode::cancelled, "capturing was stopped");
    capturer.add(metric, need);
  }
  return capturer.take();
}

}  // namespace fairway::risk
