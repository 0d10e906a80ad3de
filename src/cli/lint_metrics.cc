// SPDX-License-Identifier: Apache-2.0

#include "cli/lint_metrics.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/go_text.h"
#include "base/text.h"
#include "cli/github_command.h"
#include "cli/promql/series_files.h"
#include "command_line/terminal.h"
#include "promql/engine/engine.h"
#include "promql/guard/cost.h"
#include "promql/guard/query_window.h"
#include "promql/parser/matcher.h"
#include "promql/parser/parser.h"
#include "risk/condition.h"
#include "risk/evaluators/fixed_series.h"

namespace fairway::cli {

namespace {

constexpr std::size_t longest_text = 500;

/// A query as a question of either dialect; `fault` is the reason why there is none.
struct Prepared {
  risk::QuestionPointer newer, older;
  std::string fault;
};

Prepared prepare(const std::string& query) {
  const promql::CostLimits limits;
  if (std::string excess = promql::exceeded_before_parsing(query, limits); !excess.empty())
    return {nullptr, nullptr, std::move(excess)};
  Prepared prepared{nullptr, nullptr, "it is no PromQL"};
  for (const promql::Dialect dialect : {promql::Dialect::prometheus3, promql::Dialect::prometheus2}) {
    auto parsed = promql::parse(query, dialect);
    if (!parsed) continue;
    const promql::Cost cost = promql::cost_of(**parsed, query, limits);
    if (std::string excess = promql::exceeded_limits(cost, limits); !excess.empty())
      return {nullptr, nullptr, std::move(excess)};
    auto question = std::make_shared<risk::Question>();
    question->query = query;
    question->expression = *std::move(parsed);
    question->dialect = dialect;
    question->cost = cost;
    (dialect == promql::Dialect::prometheus3 ? prepared.newer : prepared.older) = std::move(question);
  }
  return prepared;
}

/// Result of a query over a file.
struct Outcome {
  enum class Kind { zero, no_proof, one, several, none, other } kind = Kind::other;
  std::string what = {};  ///< text of `other`, or the reason of `no_proof`
  friend bool operator==(const Outcome&, const Outcome&) = default;
};
using Kind = Outcome::Kind;

/// Returns whether a store has series of a metric that the query names, or of a selector that names none.
bool has_metrics(const promql::Expression& query, const promql::SeriesStore& series) {
  return std::ranges::any_of(promql::selectors_of(query), [&](const promql::VectorSelector* selector) {
    std::vector<promql::Matcher> names;
    std::ranges::copy_if(selector->matchers, std::back_inserter(names), [](const promql::Matcher& matcher) {
      return matcher.name() == promql::metric_name_label;
    });
    return !series.select(names.empty() ? selector->matchers : names).empty();
  });
}

/// Returns the reason why a 0 would prove nothing; empty: it counts.
std::string doubt_of_zero(const risk::Question& question, const LoadedSeries& series) {
  if (!has_metrics(*question.expression, series.store)) return "it has none of the query's metrics";
  risk::FixedSeries evaluator(series.store, series.time, Clock::system());
  return evaluator.doubt_of_zero(question);
}

Outcome outcome_of(const promql::Value& value, const risk::Question& question, const LoadedSeries& series) {
  if (value.type != promql::ValueType::vector) return {Kind::other, "it is no instant vector"};
  if (value.vector.empty()) return {Kind::none};
  if (value.vector.size() > 1) return {Kind::several};
  const double sample = value.vector.front().value;
  if (sample == 0) {
    std::string doubt = doubt_of_zero(question, series);
    return doubt.empty() ? Outcome{Kind::zero} : Outcome{Kind::no_proof, std::move(doubt)};
  }
  return sample == 1 ? Outcome{Kind::one} : Outcome{Kind::other, go_plain_number(sample)};
}

Outcome evaluate(const risk::QuestionPointer& question, const LoadedSeries& series, promql::Dialect dialect) {
  constexpr std::chrono::seconds deadline{30};
  if (!question) {
    return {Kind::other, std::string("Prometheus ") + (dialect == promql::Dialect::prometheus2 ? "2" : "3") +
                             " cannot parse it"};
  }
  promql::EngineOptions engine;
  engine.dialect = dialect;
  engine.clock = &Clock::system();
  engine.deadline = engine.clock->steady() + deadline;
  const auto result =
      promql::instant_query(*question->expression, question->query, series.store, series.time, engine);
  if (!result) return {Kind::other, printable(result.error().message, longest_text)};
  return outcome_of(result->value, *question, series);
}

Outcome try_query(const Prepared& prepared, const LoadedSeries& series) {
  if (!prepared.newer && !prepared.older) return {Kind::other, prepared.fault};
  const auto as = [&](promql::Dialect dialect) {
    const bool older = dialect == promql::Dialect::prometheus2;
    return evaluate(older ? prepared.older : prepared.newer, series, dialect);
  };
  const SeriesDialect dialect = dialect_over(series, "");
  if (dialect.source == risk::DialectSource::known) return as(dialect.dialect);
  // A query that only Prometheus 2 understands cannot be meant for Prometheus 3.
  if (dialect.source == risk::DialectSource::assumed)
    return as(prepared.newer ? promql::Dialect::prometheus3 : promql::Dialect::prometheus2);
  Outcome newer = as(promql::Dialect::prometheus3);
  if (newer == as(promql::Dialect::prometheus2)) return newer;
  return {Kind::other, "Prometheus 2 and 3 differ, and the capture does not say which it is of"};
}

void record(QueryResults& results, Outcome outcome, const std::string& file) {
  switch (outcome.kind) {
    case Kind::zero:
      return results.zero.push_back(file);
    case Kind::no_proof:
      return results.no_proof.push_back({file, std::move(outcome.what)});
    case Kind::one:
      return results.one.push_back(file);
    case Kind::several:
      return results.several.push_back(file);
    case Kind::none:
      return results.none.push_back(file);
    case Kind::other:
      return results.other.push_back({file, std::move(outcome.what)});
  }
}

/// Returns "Name", or "a query" if the risk has none.
std::string name_of(const QueryResults& results) {
  return results.query.risk.empty() ? "a query" : printable(results.query.risk, longest_text);
}

std::string place_of(const QueryResults& results, const std::string& prefix) {
  const graph::Place& place = results.query.place;
  return printable(prefix + place.file, 4096) + ":" + std::to_string(place.line);
}

/// Returns the first ten, and the number of the others.
std::string first_of(std::vector<std::string> texts) {
  constexpr std::size_t shown = 10;
  if (texts.size() <= shown + 1) return join(texts, ", ");
  const std::size_t more = texts.size() - shown;
  texts.resize(shown);
  return join(texts, ", ") + " and " + std::to_string(more) + " more";
}

std::string names(const std::vector<std::string>& files) {
  std::vector<std::string> shown;
  for (const std::string& file : files) shown.push_back(printable(file, longest_text));
  return first_of(std::move(shown));
}

std::string names(const std::vector<OtherResult>& results) {
  std::vector<std::string> shown;
  for (const OtherResult& other : results)
    shown.push_back(printable(other.file, longest_text) + " (" + printable(other.what, longest_text) + ")");
  return first_of(std::move(shown));
}

json::Array json_names(const std::vector<std::string>& files) {
  json::Array all;
  for (const std::string& file : files) all.emplace_back(printable(file, 4096));
  return all;
}

json::Array json_results(const std::vector<OtherResult>& results) {
  json::Array all;
  for (const OtherResult& one : results)
    all.push_back(json::Object{{"file", printable(one.file, 4096)}, {"what", one.what}});
  return all;
}

}  // namespace

Result<std::vector<QueryResults>> try_queries(std::vector<graphdata::RiskQuery> queries,
                                              const std::vector<std::string>& files) {
  std::vector<QueryResults> all;
  std::vector<Prepared> prepared;
  for (graphdata::RiskQuery& query : queries) {
    prepared.push_back(prepare(query.query));
    QueryResults results;
    results.query = std::move(query);
    all.push_back(std::move(results));
  }
  for (const std::string& file : files) {
    const auto series = load_series({file}, std::nullopt);
    if (!series) return fail(series.error());
    for (std::size_t i = 0; i < all.size(); ++i) record(all[i], try_query(prepared[i], *series), file);
  }
  return all;
}

std::string to_metrics_text(const std::vector<QueryResults>& results, const std::string& prefix,
                            std::size_t files) {
  const std::string snapshots = command_line::count(files, "snapshot") + " of metrics";
  if (results.empty()) return "No query has changed: there is none to try on " + snapshots + ".\n";
  const command_line::Style style;
  std::vector<std::vector<std::string>> rows{
      {"QUERY OF", "0", "NO PROOF", "1", "SEVERAL", "NONE", "OTHER", "PLACE"}};
  std::string below;
  const auto count = [](const auto& list) { return std::to_string(list.size()); };
  for (const QueryResults& query : results) {
    rows.push_back({name_of(query), count(query.zero), count(query.no_proof), count(query.one),
                    count(query.several), count(query.none), count(query.other), place_of(query, prefix)});
    if (query.zero.size() == files) continue;
    below += "\n" + style.bold(name_of(query)) + "\n";
    const auto list = [&below](const char* what, const std::string& names) {
      if (!names.empty()) below += command_line::paragraph(std::string(what) + ": " + names, 2);
    };
    list("no proof", names(query.no_proof));
    list("1", names(query.one));
    list("several", names(query.several));
    list("none", names(query.none));
    list("other", names(query.other));
  }
  const std::string changed = results.size() == 1 ? "1 query" : std::to_string(results.size()) + " queries";
  return changed + " over " + snapshots + "\n\n" + command_line::table(rows) + below;
}

json::Array to_metrics_json(const std::vector<QueryResults>& results, const std::string& prefix) {
  json::Array all;
  for (const QueryResults& query : results) {
    all.push_back(json::Object{{"risk", query.query.risk},
                               {"file", printable(prefix + query.query.place.file, 4096)},
                               {"line", query.query.place.line},
                               {"column", query.query.place.column},
                               {"query", query.query.query},
                               {"zero", json_names(query.zero)},
                               {"noProof", json_results(query.no_proof)},
                               {"one", json_names(query.one)},
                               {"several", json_names(query.several)},
                               {"none", json_names(query.none)},
                               {"other", json_results(query.other)}});
  }
  return all;
}

std::string to_metrics_github(const std::vector<QueryResults>& results, const std::string& prefix,
                              std::size_t files) {
  std::string out;
  for (const QueryResults& query : results) {
    std::string text = "over " + command_line::count(files, "snapshot") + " of metrics";
    const char* separator = ": ";
    const auto list = [&text, &separator](const char* what, std::size_t number, const std::string& names) {
      if (number == 0) return;
      text += separator + std::string(what) + " on " + std::to_string(number) +
              (names.empty() ? "" : " (" + names + ")");
      separator = "; ";
    };
    list("not exposed (0)", query.zero.size(), "");
    list("0, which is no proof,", query.no_proof.size(), names(query.no_proof));
    list("exposed (1)", query.one.size(), names(query.one));
    list("several samples", query.several.size(), names(query.several));
    list("no sample", query.none.size(), names(query.none));
    list("something else", query.other.size(), names(query.other));
    out += github_command({.level = GithubLevel::notice,
                           .file = prefix + query.query.place.file,
                           .line = query.query.place.line,
                           .column = query.query.place.column,
                           .title = query.query.risk.empty() ? "query" : query.query.risk,
                           .text = std::move(text)});
  }
  return out;
}

}  // namespace fairway::cli
