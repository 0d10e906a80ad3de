// SPDX-License-Identifier: Apache-2.0

// Lint: the queries of rules of type PromQL, read as a cluster will read them.
// The enhancement of docs/risks.md, sections PromQL and PromQL validation.
#include <optional>
#include <set>

#include "graphdata/internal/lint/context.h"
#include "graphdata/internal/scalar_place.h"
#include "promql/guard/cost.h"
#include "promql/guard/missing_series.h"
#include "promql/guard/result_samples.h"
#include "promql/guard/verdict_shape.h"
#include "promql/parser/parser.h"

namespace fairway::graphdata {

namespace {

using Names = std::set<std::string, std::less<>>;

/// Calls `visit(name, span)` for each metric that a query names.
template <class Visit>
void for_each_metric(const promql::Expression& expression, const Visit& visit) {
  if (const auto* selector = std::get_if<promql::VectorSelector>(&expression.node)) {
    for (const promql::Matcher& matcher : selector->matchers) {
      if (matcher.name() == promql::metric_name_label && matcher.kind() == promql::Matcher::Kind::equal) {
        visit(matcher.value(), expression.span);
      }
    }
  }
  promql::for_each_child(expression,
                         [&visit](const promql::Expression& child) { for_each_metric(child, visit); });
}

/// Returns the metrics that a file's queries name.
Names metrics_of(const BlockedEdgeFile& file) {
  Names names;
  const yaml::Node* mapping = file.mapping();
  const yaml::Node* rules = mapping != nullptr ? mapping->find("matchingRules") : nullptr;
  if (rules == nullptr) return names;
  for (const yaml::Node& rule : rules->items) {
    const yaml::Node* query = query_of(rule);
    if (query == nullptr || !promql::exceeded_before_parsing(query->scalar, {}).empty()) continue;
    auto parsed = promql::parse(query->scalar);
    if (!parsed) parsed = promql::parse(query->scalar, promql::Dialect::prometheus2);
    if (parsed) {
      for_each_metric(**parsed, [&names](const std::string& name, promql::Span) { names.insert(name); });
    }
  }
  return names;
}

/// Returns the metrics that the base's queries name.
Names metrics_of(const Files& files) {
  Names names;
  Budget budget;  // of its own: what the change may have is not less for it
  for (const auto& [path, text] : files) {
    if (is_blocked_edge(path)) names.merge(metrics_of(read_blocked_edge(path, text, budget)));
  }
  return names;
}

/// Returns the metrics that several files name; nothing if there are too few files to tell what is usual.
std::optional<Names> usual_metrics(const std::vector<BlockedEdgeFile>& files) {
  constexpr std::size_t enough_files = 20;
  Names once, often;
  std::size_t asking = 0;
  for (const BlockedEdgeFile& file : files) {
    const Names names = metrics_of(file);
    if (!names.empty()) ++asking;
    for (const std::string& name : names) {
      if (!once.insert(name).second) often.insert(name);
    }
  }
  if (asking < enough_files) return std::nullopt;
  return often;
}

class QueryLint {
 public:
  QueryLint(LintContext& context, const BlockedEdgeFile& file, IndexedText& text, const yaml::Node& query)
      : context_(context), file_(file), text_(text), query_(query) {}

  /// Checks a query; `strange` is the text about an unknown metric.
  void check(const Names* known_metrics, std::string_view strange) const {
    const promql::CostLimits limits;
    if (const std::string excess = promql::exceeded_before_parsing(query_.scalar, limits); !excess.empty()) {
      too_costly({}, excess);
      return;
    }
    auto parsed = promql::parse(query_.scalar);
    auto older = promql::parse(query_.scalar, promql::Dialect::prometheus2);
    if (!parsed && !older) {
      add("promql-syntax", parsed.error().span,
          "this is no PromQL: " + parsed.error().message + "; the evaluation fails on every cluster",
          "try the query with 'fairway promql check'");
      return;
    }
    if (!parsed || !older) {
      const promql::ParseError& fault = parsed ? older.error() : parsed.error();
      add("promql-syntax", fault.span,
          std::string("Prometheus ") + (parsed ? "2" : "3") + " does not understand this: " + fault.message +
              "; the evaluation fails on clusters that run it",
          "write what both understand", Severity::warning);
    }
    if (!parsed) parsed = std::move(older);
    for (const promql::ShapeFault& fault : promql::verdict_shape_faults(**parsed)) {
      add("promql-shape", fault.span, fault.message, fault.fix);
    }
    for (const promql::ShapeFault& fault : promql::several_samples_faults(**parsed)) {
      add("promql-samples", fault.span, fault.message, fault.fix);
    }
    for (const promql::ShapeFault& fault : promql::missing_series_faults(**parsed)) {
      add("promql-absence", fault.span, fault.message, fault.fix);
    }
    for (const promql::ShapeFault& fault : promql::equality_faults(**parsed)) {
      add("promql-equality", fault.span, fault.message, fault.fix);
    }
    const std::string excess =
        promql::exceeded_limits(promql::cost_of(**parsed, query_.scalar, limits), limits);
    if (!excess.empty()) too_costly((*parsed)->span, excess);
    if (known_metrics == nullptr) return;
    for_each_metric(**parsed, [&](const std::string& name, promql::Span span) {
      if (known_metrics->contains(name)) return;
      add("promql-metric", span, std::string(strange) + name,
          "make sure that every cluster has it; a slip of the pen here finds nothing");
    });
  }

 private:
  void too_costly(promql::Span span, const std::string& excess) const {
    add("promql-cost", span, excess + ": clusters that guard their monitoring do not run it",
        "ask for less: see 'fairway promql cost'");
  }

  void add(std::string_view rule, promql::Span span, std::string message, std::string fix,
           std::optional<Severity> severity = {}) const {
    const std::size_t start = std::min(span.start, query_.scalar.size());
    const std::size_t end = std::min(std::max(span.end, start), query_.scalar.size());
    const std::string_view text = std::string_view(query_.scalar).substr(start, end - start);
    graph::Place place = place_in_scalar(file_.file, text_, query_, start);
    const std::string_view shown = text.substr(0, text.find('\n'));
    if (severity) {
      context_.add(rule, std::move(place), shown, std::move(message), std::move(fix), *severity);
    } else {
      context_.add(rule, std::move(place), shown, std::move(message), std::move(fix));
    }
  }

  LintContext& context_;
  const BlockedEdgeFile& file_;
  IndexedText& text_;
  const yaml::Node& query_;
};

}  // namespace

const yaml::Node* query_of(const yaml::Node& rule) {
  const yaml::Node* type = rule.find("type");
  if (type == nullptr || type->scalar != "PromQL") return nullptr;
  const yaml::Node* outer = find_promql(rule);
  const yaml::Node* query = outer != nullptr ? find_promql(*outer) : nullptr;
  if (query == nullptr || !query->is_scalar()) return nullptr;
  return query->scalar.find_first_not_of(" \t\r\n") == std::string::npos ? nullptr : query;
}

void lint_promql(LintContext& context) {
  // A query that the base has names only metrics of the base: those of changed ones are left, whether their
  // files are new or not.
  const bool compared = context.inputs.base.has_value();
  const std::optional<Names> known =
      compared ? std::optional(metrics_of(*context.inputs.base)) : usual_metrics(context.blocked_edges);
  const std::string_view strange =
      compared ? "no query so far asks for the metric " : "no other file asks for the metric ";
  for (const BlockedEdgeFile& file : context.blocked_edges) {
    const yaml::Node* mapping = file.mapping();
    const yaml::Node* rules = mapping != nullptr ? mapping->find("matchingRules") : nullptr;
    if (rules == nullptr) continue;
    IndexedText text(context.inputs.files.at(file.file));
    for (const yaml::Node& rule : rules->items) {
      if (const yaml::Node* query = query_of(rule))
        QueryLint(context, file, text, *query).check(known ? &*known : nullptr, strange);
    }
  }
}

}  // namespace fairway::graphdata
