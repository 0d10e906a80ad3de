// SPDX-License-Identifier: Apache-2.0

#include "risk/explanation.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "promql/guard/query_window.h"
#include "promql/parser/go_text.h"
#include "promql/parser/matcher.h"
#include "promql/parser/parser.h"
#include "promql/parser/printer.h"
#include "risk/internal/evaluators/captured.h"

namespace fairway::risk {

namespace {

constexpr std::size_t most_branches = 100;

/// Returns whether it reads any series.
bool selects(const promql::Expression& expression) {
  if (std::holds_alternative<promql::VectorSelector>(expression.node)) return true;
  bool found = false;
  promql::for_each_child(expression, [&found](const auto& child) { found = found || selects(child); });
  return found;
}

class Explainer {
 public:
  Explainer(const Question& question, const EvaluatePart& evaluate)
      : question_(question), evaluate_(evaluate) {}

  Explanation explain() {
    visit(*question_.expression, 0);
    std::set<std::string> names;
    for (const promql::VectorSelector* selector : promql::selectors_of(*question_.expression)) {
      if (auto name = metric_of(*selector)) names.insert(*std::move(name));
    }
    for (const std::string& name : names) explanation_.metrics.push_back(count(name));
    return std::move(explanation_);
  }

 private:
  void visit(const promql::Expression& outer, std::size_t depth) {
    const promql::Expression& expression = promql::without_parens(outer);
    // The whole query is shown, whatever it is.
    if (depth > 0 && !selects(expression)) return;
    if (explanation_.branches.size() == most_branches) {
      ++explanation_.left_out;
      return;
    }
    Branch branch{
        .query = promql::print(expression, question_.dialect), .depth = depth, .value = {}, .error = {}};
    auto value = evaluate_(expression, branch.query);
    if (value) {
      branch.value = *std::move(value);
      record(expression, branch.value);
    } else {
      branch.error = std::move(value.error());
    }
    explanation_.branches.push_back(std::move(branch));
    if (std::holds_alternative<promql::Subquery>(expression.node) ||
        std::holds_alternative<promql::MatrixSelector>(expression.node))
      return;
    promql::for_each_child(expression, [&](const auto& child) { visit(child, depth + 1); });
  }

  /// Records the number of series that a selector found; they exist, even if none is there at the present
  /// time.
  void record(const promql::Expression& expression, const promql::Value& value) {
    const promql::Expression* selector = &expression;
    if (const auto* matrix = std::get_if<promql::MatrixSelector>(&expression.node))
      selector = matrix->selector.get();
    const auto* named = std::get_if<promql::VectorSelector>(&selector->node);
    const auto name = named != nullptr ? metric_of(*named) : std::nullopt;
    if (!name) return;
    std::size_t& found = found_[*name];
    found = std::max({found, value.vector.size(), value.matrix.size()});
  }

  NamedMetric count(const std::string& name) const {
    NamedMetric metric{.name = name, .series = 0, .error = {}};
    const std::string text = "{__name__=" + promql::quote(name) + "}";
    const auto selector = promql::parse(text, question_.dialect);
    if (!selector) {
      metric.error = selector.error().message;
      return metric;
    }
    const auto value = evaluate_(**selector, text);
    if (value) {
      const auto found = found_.find(name);
      metric.series = std::max(value->vector.size(), found == found_.end() ? 0 : found->second);
    } else {
      metric.error = value.error();
    }
    return metric;
  }

  const Question& question_;
  const EvaluatePart& evaluate_;
  Explanation explanation_;
  /// Maximum number of series that any selector of a metric found.
  std::map<std::string, std::size_t> found_;
};

}  // namespace

Explanation explain(const Question& question, const EvaluatePart& evaluate) {
  return Explainer(question, evaluate).explain();
}

}  // namespace fairway::risk
