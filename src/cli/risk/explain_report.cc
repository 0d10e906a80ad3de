// SPDX-License-Identifier: Apache-2.0

#include "cli/risk/explain_report.h"

#include <algorithm>
#include <utility>

#include "base/go_text.h"
#include "base/json.h"
#include "base/text.h"
#include "command_line/terminal.h"

namespace fairway::cli {

namespace {

constexpr std::size_t longest_line = 1'000;
constexpr std::size_t shown_samples = 5, shown_targets = 10;

using Style = command_line::Style;

std::string painted(const Style& style, risk::Outcome outcome) {
  const std::string_view text = to_string(outcome);
  if (outcome == risk::Outcome::does_not_match) return style.green(text);
  return outcome == risk::Outcome::matches ? style.red(text) : style.yellow(text);
}

/// Returns the outcome of a rule in a word, and the reason if it failed.
std::string verdict_text(const Style& style, const ExplainedRule& rule) {
  if (!rule.skipped.empty()) return "is skipped: " + printable(rule.skipped, longest_line);
  if (!rule.answer) return "is not looked at, because an earlier rule decides";
  if (rule.answer->outcome != risk::Outcome::failed) return painted(style, rule.answer->outcome);
  return painted(style, rule.answer->outcome) + ": " + printable(rule.answer->error, longest_line);
}

/// Returns "1", "no samples", "3 samples"; samples with labels go below it.
std::string summary_of(const risk::Branch& branch) {
  if (!branch.error.empty()) return printable(branch.error, longest_line);
  const promql::Value& value = branch.value;
  switch (value.type) {
    case promql::ValueType::vector:
      if (value.vector.empty()) return "no samples";
      if (value.vector.size() == 1) return go_plain_number(value.vector.front().value);
      return std::to_string(value.vector.size()) + " samples";
    case promql::ValueType::matrix: {
      std::size_t points = 0;
      for (const promql::SeriesResult& series : value.matrix) points += series.points.size();
      if (points == 0) return "no samples";
      return command_line::count(points, "sample") + " of " + std::to_string(value.matrix.size()) + " series";
    }
    case promql::ValueType::scalar:
      return go_plain_number(value.scalar) + " (a scalar)";
    case promql::ValueType::string:
      return "a string";
    case promql::ValueType::none:
      break;
  }
  return "nothing";
}

std::string samples_text(const risk::Branch& branch, std::size_t indent) {
  const promql::Vector& samples = branch.value.vector;
  const bool bare = samples.size() == 1 && samples.front().metric.is_empty();
  if (samples.empty() || bare) return "";
  std::string out;
  for (std::size_t i = 0; i < std::min(samples.size(), shown_samples); ++i)
    out += std::string(indent, ' ') + printable(samples[i].metric.to_string(), longest_line) + "  " +
           go_plain_number(samples[i].value) + "\n";
  if (samples.size() > shown_samples)
    out += std::string(indent, ' ') + "and " + std::to_string(samples.size() - shown_samples) + " more\n";
  return out;
}

std::string explanation_text(const Style& style, const risk::Explanation& explanation) {
  std::string out;
  for (const risk::Branch& branch : explanation.branches) {
    const std::size_t indent = 4 + 2 * branch.depth;
    out += std::string(indent, ' ') + printable(branch.query, longest_line) + "  " +
           style.bold("= " + summary_of(branch)) + "\n" + style.dim(samples_text(branch, indent + 4));
  }
  if (explanation.left_out > 0)
    out += "    and " + command_line::count(explanation.left_out, "more part") + "\n";
  if (explanation.metrics.empty()) return out;
  out += "  metrics\n";
  for (const risk::NamedMetric& metric : explanation.metrics) {
    const std::string what = !metric.error.empty() ? printable(metric.error, longest_line)
                             : metric.series == 0  ? style.yellow("absent")
                                                   : std::to_string(metric.series) + " series";
    out += "    " + printable(metric.name, longest_line) + ": " + what + "\n";
  }
  return out;
}

/// Returns "4.7.4, 4.7.8", and the number of the others.
std::string targets_text(std::vector<std::string> targets) {
  const std::size_t all = targets.size();
  if (all > shown_targets) targets.resize(shown_targets);
  return join(targets, ", ") +
         (all > shown_targets ? " and " + std::to_string(all - shown_targets) + " more" : "");
}

json::Object labels_json(const promql::Metric& metric) {
  json::Object labels;
  metric.for_each([&labels](const promql::Label& label) { labels[label.first] = label.second; });
  return labels;
}

json::Object branch_json(const risk::Branch& branch) {
  json::Object object{{"query", branch.query}, {"depth", branch.depth}};
  if (!branch.error.empty()) {
    object["error"] = branch.error;
    return object;
  }
  json::Array samples;
  switch (branch.value.type) {
    case promql::ValueType::vector:
      object["type"] = "vector";
      for (const promql::Sample& sample : branch.value.vector)
        samples.push_back(
            json::Object{{"labels", labels_json(sample.metric)}, {"value", go_plain_number(sample.value)}});
      object["samples"] = std::move(samples);
      break;
    case promql::ValueType::matrix:
      object["type"] = "matrix";
      for (const promql::SeriesResult& series : branch.value.matrix)
        samples.push_back(
            json::Object{{"labels", labels_json(series.metric)}, {"samples", series.points.size()}});
      object["series"] = std::move(samples);
      break;
    case promql::ValueType::scalar:
      object["type"] = "scalar";
      object["value"] = go_plain_number(branch.value.scalar);
      break;
    case promql::ValueType::string:
    case promql::ValueType::none:
      object["type"] = "string";
      break;
  }
  return object;
}

json::Object rule_json(const ExplainedRule& rule) {
  json::Object object{{"type", rule.type}};
  if (!rule.query.empty()) object["query"] = rule.query;
  if (!rule.skipped.empty()) object["skipped"] = rule.skipped;
  if (rule.answer) {
    object["verdict"] = to_string(rule.answer->outcome);
    if (rule.answer->value) object["value"] = go_plain_number(*rule.answer->value);
    if (!rule.answer->error.empty()) object["error"] = rule.answer->error;
  }
  json::Array branches, metrics;
  for (const risk::Branch& branch : rule.explanation.branches) branches.push_back(branch_json(branch));
  for (const risk::NamedMetric& metric : rule.explanation.metrics) {
    json::Object one{{"name", metric.name}};
    if (metric.error.empty()) {
      one["series"] = metric.series;
    } else {
      one["error"] = metric.error;
    }
    metrics.push_back(std::move(one));
  }
  object["branches"] = std::move(branches);
  object["metrics"] = std::move(metrics);
  return object;
}

}  // namespace

std::string as_table(const ExplainReport& report) {
  const Style style;
  std::string out;
  for (const ExplainedRisk& risk : report.risks) {
    if (!out.empty()) out += '\n';
    out += style.bold(printable(risk.published.risk.name)) + ": " + painted(style, risk.outcome) + "  " +
           printable(risk.published.risk.url, longest_line) + "\n" +
           command_line::paragraph("of " + targets_text(risk.published.targets), 2);
    for (std::size_t i = 0; i < risk.rules.size(); ++i) {
      const ExplainedRule& rule = risk.rules[i];
      out += "\n  rule " + std::to_string(i + 1) + " of " + std::to_string(risk.rules.size()) + ", " +
             (rule.type.empty() ? "of no type" : printable(rule.type, 200)) + ": " +
             verdict_text(style, rule) + "\n" + explanation_text(style, rule.explanation);
    }
  }
  out += "\nEvaluated at " + report.time + " " + report.source + ".\n";
  if (report.next)
    out += "A cluster that asks now asks again at " + format_time(*report.next) + " at the earliest.\n";
  return out;
}

std::string as_json(const ExplainReport& report) {
  json::Object document{{"time", report.time}, {"source", report.source}};
  if (report.next) document["next"] = format_time(*report.next);
  json::Array risks;
  for (const ExplainedRisk& risk : report.risks) {
    json::Array rules;
    for (const ExplainedRule& rule : risk.rules) rules.push_back(rule_json(rule));
    risks.push_back(
        json::Object{{"name", risk.published.risk.name},
                     {"url", risk.published.risk.url},
                     {"targets", json::Array(risk.published.targets.begin(), risk.published.targets.end())},
                     {"verdict", to_string(risk.outcome)},
                     {"rules", std::move(rules)}});
  }
  document["risks"] = std::move(risks);
  return json::to_text(document) + "\n";
}

}  // namespace fairway::cli
