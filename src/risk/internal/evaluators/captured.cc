// SPDX-License-Identifier: Apache-2.0

#include "risk/internal/evaluators/captured.h"

#include "base/text.h"
#include "promql/guard/query_window.h"
#include "promql/parser/matcher.h"
#include "risk/evaluators/capture.h"

namespace fairway::risk {

std::optional<std::string> metric_of(const promql::VectorSelector& selector) {
  for (const promql::Matcher& matcher : selector.matchers) {
    if (matcher.name() == promql::metric_name_label && matcher.kind() == promql::Matcher::Kind::equal)
      return matcher.value();
  }
  return std::nullopt;
}

Captured::Captured(const promql::SeriesStore& series) {
  for (const promql::Series* one : series.select({})) {
    if (one->labels->get(promql::metric_name_label) != captured_metric || one->points.empty()) continue;
    metrics_[std::string(one->labels->get("metric"))] = {one->points.front().time, one->points.back().time};
  }
}

std::string Captured::gap_of(const Question& question, promql::Timestamp time) const {
  const std::chrono::milliseconds reach = promql::reach_of(question.cost);
  for (const promql::VectorSelector* selector : promql::selectors_of(*question.expression)) {
    const auto metric = metric_of(*selector);
    if (!metric) return "a selector names no metric, and a capture has those that were asked for by name";
    const auto found = metrics_.find(*metric);
    if (found == metrics_.end()) return printable(*metric, 200) + " was not captured";
    if (time > found->second.last) return printable(*metric, 200) + " was captured at an earlier time";
    if (time - (reach + captured_lookback).count() < found->second.first) {
      return printable(*metric, 200) + " was captured for a shorter time than the query looks back";
    }
  }
  return {};
}

}  // namespace fairway::risk
