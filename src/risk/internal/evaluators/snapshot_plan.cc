// SPDX-License-Identifier: Apache-2.0

#include "risk/internal/evaluators/snapshot_plan.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "promql/engine/labels.h"
#include "promql/parser/go_text.h"

namespace fairway::risk {

namespace {

bool is_plain_name(std::string_view name, bool colons) {
  const auto may_begin = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (colons && c == ':');
  };
  return !name.empty() && may_begin(name.front()) &&
         std::ranges::all_of(name, [&](char c) { return may_begin(c) || (c >= '0' && c <= '9'); });
}

class Planner {
 public:
  explicit Planner(SnapshotPlan& plan) : plan_(plan) {}

  bool look(const promql::Expression& expression) {
    if (const auto* selector = std::get_if<promql::VectorSelector>(&expression.node)) {
      plan_.instants.push_back(selector);
      return select(*selector, plan_.present);
    }
    if (const auto* matrix = std::get_if<promql::MatrixSelector>(&expression.node)) {
      const auto* selector = std::get_if<promql::VectorSelector>(&matrix->selector->node);
      if (selector == nullptr || (plan_.window != 0 && plan_.window != matrix->range)) return false;
      plan_.window = matrix->range;
      plan_.ranges.push_back(selector);
      return select(*selector, plan_.past);
    }
    if (std::holds_alternative<promql::Subquery>(expression.node)) return false;
    if (const auto* call = std::get_if<promql::Call>(&expression.node)) {
      if (call->function->name == "timestamp") return false;
      // Without arguments everything is about now, but for the number pi.
      if (call->arguments.empty() && call->function->name != "pi") plan_.reads_clock = true;
    }
    bool covered = true;
    promql::for_each_child(expression, [&](const auto& child) { covered = covered && look(child); });
    return covered;
  }

 private:
  static bool select(const promql::VectorSelector& selector, std::set<std::string>& metrics) {
    if (selector.time != promql::TimeShift{}) return false;
    for (const promql::Matcher& matcher : selector.matchers) {
      if (matcher.name() != promql::metric_name_label || matcher.kind() != promql::Matcher::Kind::equal)
        continue;
      metrics.insert(matcher.value());
      return is_plain_name(matcher.value(), true);
    }
    return false;
  }

  SnapshotPlan& plan_;
};

std::string_view operator_of(promql::Matcher::Kind kind) {
  switch (kind) {
    case promql::Matcher::Kind::equal:
      return "=";
    case promql::Matcher::Kind::not_equal:
      return "!=";
    case promql::Matcher::Kind::regex:
      return "=~";
    case promql::Matcher::Kind::not_regex:
      return "!~";
  }
  return "=";
}

/// Returns the matchers that all selectors share: `,_id="",type=~"a|b"`.
std::string shared_matchers(const std::vector<const promql::VectorSelector*>& selectors) {
  std::string text;
  for (const promql::Matcher& matcher : selectors.front()->matchers) {
    if (matcher.name() == promql::metric_name_label || !is_plain_name(matcher.name(), false)) continue;
    const bool everywhere = std::ranges::all_of(selectors, [&](const auto* selector) {
      return std::ranges::find(selector->matchers, matcher) != selector->matchers.end();
    });
    if (everywhere) {
      text +=
          "," + matcher.name() + std::string(operator_of(matcher.kind())) + promql::quote(matcher.value());
    }
  }
  return text;
}

}  // namespace

std::optional<SnapshotPlan> plan_snapshot(const promql::Expression& expression) {
  SnapshotPlan plan;
  if (!Planner(plan).look(expression) || (plan.instants.empty() && plan.ranges.empty())) return std::nullopt;
  return plan;
}

std::string snapshot_query(const std::vector<const SnapshotPlan*>& plans, promql::Nanoseconds window) {
  std::set<std::string> metrics;
  std::vector<const promql::VectorSelector*> selectors;
  for (const SnapshotPlan* plan : plans) {
    const auto& named = window == 0 ? plan->present : plan->past;
    const auto& looking = window == 0 ? plan->instants : plan->ranges;
    metrics.insert(named.begin(), named.end());
    selectors.insert(selectors.end(), looking.begin(), looking.end());
  }
  std::string query = "{__name__=~\"" + join(std::vector<std::string>(metrics.begin(), metrics.end()), "|") +
                      "\"" + shared_matchers(selectors) + "}";
  if (window != 0) query += "[" + std::to_string((window + 999'999) / 1'000'000) + "ms]";
  return query;
}

}  // namespace fairway::risk
