#include "risk/evaluators/capture.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "promql/engine/result_reader.h"
#include "promql/engine/series.h"
#include "promql/guard/query_window.h"
#include "promql/parser/go_text.h"
#include "promql/parser/matcher.h"
#include "risk/evaluators/internal/captured.h"
#include "risk/evaluators/internal/snapshot_series.h"

namespace fairway::risk {

namespace {

constexpr std::chrono::milliseconds lookback = captured_lookback;
/// The guard counts in seconds, and windows may be closed.
constexpr std::chrono::milliseconds margin = std::chrono::seconds(1);

/// How some queries look at a metric.
struct Need {
  std::chrono::milliseconds reach{};
  bool at_present = false, in_ranges = false;
};
using Needs = std::map<std::string, Need>;

/// Where a part of a query looks.
enum class View { present, range, past };

class NeedFinder {
 public:
  NeedFinder(Needs& needs, std::chrono::milliseconds reach) : needs_(needs), reach_(reach) {}

  /// Whether each selector names its metric.
  bool look(const promql::Expression& expression, View view = View::present) {
    if (const auto* selector = std::get_if<promql::VectorSelector>(&expression.node))
      return note(*selector,
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
  bool note(const promql::VectorSelector& selector, View view) {
    const std::optional<std::string> metric = metric_of(selector);
    if (!metric) return false;
    Need& need = needs_[*metric];
    need.reach = std::max(need.reach, reach_);
    if (view == View::present) need.at_present = true;
    if (view == View::range) need.in_ranges = true;
    return true;
  }

  Needs& needs_;
  const std::chrono::milliseconds reach_;
};

void append_escaped(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  out += '"';
}

/// `up{job="a"}`; a name beyond the old rules stands in quotes within the braces.
std::string series_text(const promql::LabelSet& labels) {
  std::string name, inner;
  for (const auto& [label, value] : labels.labels()) {
    if (label == promql::metric_name_label && promql::is_plain_metric_name(value)) {
      name = value;
      continue;
    }
    if (!inner.empty()) inner += ',';
    if (label == promql::metric_name_label) {
      append_escaped(inner, value);
      continue;
    }
    if (promql::is_plain_label_name(label)) {
      inner += label;
    } else {
      append_escaped(inner, label);
    }
    inner += '=';
    append_escaped(inner, value);
  }
  return name + (inner.empty() ? "" : "{" + inner + "}");
}

void append_sample(std::string& out, const std::string& series, double value, promql::Timestamp time) {
  out += series + " " + promql::format_number(value) + " " + std::to_string(time) + "\n";
}

std::string key_of(const promql::LabelsRef& labels) {
  return promql::Metric(labels).to_string();
}

class Capturer {
 public:
  Capturer(PrometheusApi& api, const CaptureLimits& limits, const std::stop_token& stop)
      : api_(api), limits_(limits), stop_(stop) {}

  /// Asks the server for its time, at which everything is asked then.
  Result<void> begin() {
    const auto reply = api_.query("time()", stop_);
    if (!reply)
      return fail(ErrorCode::unavailable, "asking Prometheus for its time: " + reply.error().message);
    const json::Value* result = json::find(reply->data, "result");
    const auto point = result != nullptr ? promql::read_point(*result)
                                         : fail(ErrorCode::unavailable, "bad_response: there is no result");
    if (!point) return fail(point.error().within("asking Prometheus for its time"));
    capture_.time = point->time;
    return {};
  }

  void add(const std::string& metric, const Need& need) {
    const std::size_t before = capture_.text.size();
    if (auto done = fetch(metric, need); !done) {
      capture_.text.resize(before);
      capture_.problems.push_back(printable(metric, 200) + " is not in it: " + done.error().message);
    }
  }

  Capture take() { return std::move(capture_); }
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
    write(metric, need, store, now);
    std::string marker = std::string(captured_metric) + "{metric=";
    append_escaped(marker, metric);
    marker += '}';
    append_sample(capture_.text, marker, 1, since);
    append_sample(capture_.text, marker, 1, capture_.time);
    ++capture_.metrics;
    return {};
  }

  void write(const std::string& metric, const Need& need, const Store& store,
             const std::map<std::string, double>& now) {
    std::size_t series_written = 0, ended = 0;
    const promql::Timestamp recent = capture_.time - lookback.count();
    for (const promql::Series* series : store.select({})) {
      const bool is_there = now.contains(key_of(series->labels));
      std::span<const promql::Point> points = series->points;
      if (!is_there && need.at_present && points.back().time > recent) {
        // A reader would take it for one that goes on.
        if (need.in_ranges) ++ended;
        const auto from = std::ranges::upper_bound(points, recent, {}, &promql::Point::time);
        points = points.first(static_cast<std::size_t>(from - points.begin()));
      }
      if (need.reach.count() == 0) points = is_there ? points.last(1) : std::span<const promql::Point>();
      if (points.empty()) continue;
      ++series_written;
      capture_.samples += points.size();
      const std::string text = series_text(*series->labels);
      for (const promql::Point& point : points) append_sample(capture_.text, text, point.value, point.time);
    }
    capture_.series += series_written;
    if (series_written == 0) capture_.absent.push_back(metric);
    if (ended > 0) {
      capture_.problems.push_back(printable(metric, 200) + ": " + std::to_string(ended) +
                                  " of its series ended within the last five minutes, of which ranges lack "
                                  "their last samples");
    }
  }

  PrometheusApi& api_;
  const CaptureLimits& limits_;
  const std::stop_token& stop_;
  Capture capture_;
};

}  // namespace

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
