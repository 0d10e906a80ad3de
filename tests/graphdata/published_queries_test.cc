// SPDX-License-Identifier: Apache-2.0

// What lint says of all queries that OpenShift has published, and what they give over made-up clusters.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "documented_rows.h"
#include "graphdata/lint/lint.h"
#include "graphdata/lint/queries.h"
#include "promql/engine/engine.h"
#include "promql/parser/parser.h"
#include "shared_data.h"
#include "support/golden_clusters.h"

namespace fairway::graphdata {
namespace {

constexpr std::string_view no_rule = "none of these";

/// Numbers of clusters by the result that a query has on them.
struct Hits {
  int zero = 0, one = 0, several = 0, none = 0, other = 0;
};

struct Row {
  std::string query;
  std::set<std::string> rules;
  Hits hits;
};

/// Returns distinct queries: those that a real Prometheus has answered, then the others of the graph data.
std::vector<std::string> published_queries(const std::filesystem::path& answers, const Files& files) {
  std::vector<std::string> queries;
  std::set<std::string> known;
  const auto add = [&](std::string_view query) {
    if (std::string text(trim(query)); known.insert(text).second) queries.push_back(std::move(text));
  };
  const json::Value golden = testing::read_gzip_json(answers);
  for (const json::Value& query : json::find(golden, "queries")->as_array()) {
    if (query.is_string()) add(query.as_string());
  }
  for (const RiskQuery& query : changed_queries({.files = files})) add(query.query);
  return queries;
}

std::set<std::string> rules_of(const std::string& query) {
  const Files files{
      {"version", "1.2.0\n"},
      {"channels/stable-4.7.yaml", "name: stable-4.7\nversions: [4.7.3, 4.7.4]\n"},
      {"blocked-edges/4.7.4-R.yaml",
       "to: 4.7.4\nfrom: .*\nurl: https://example.com/\nname: R\nmessage: M.\nmatchingRules:\n- type: "
       "PromQL\n  promql:\n    promql: " +
           json::to_text(json::Value(query)) + "\n"}};
  std::set<std::string> rules;
  for (const Finding& finding : lint({.files = files, .base = std::nullopt, .releases = {}})) {
    if (finding.rule.starts_with("promql-")) rules.insert(finding.rule);
  }
  if (rules.empty()) rules.emplace(no_rule);
  return rules;
}

Hits hits_of(const std::string& query, const std::map<std::int64_t, testing::GoldenCluster>& clusters) {
  promql::EngineOptions options;
  options.dialect = promql::Dialect::prometheus2;
  Hits hits;
  const auto parsed = promql::parse(query, options.dialect);
  for (const auto& [number, cluster] : clusters) {
    if (!parsed) {
      ++hits.other;
      continue;
    }
    const auto result = promql::instant_query(**parsed, query, cluster.store, cluster.time, options);
    if (!result) {
      // A side of a join has several series for one of the other.
      ++(result.error().message.contains("many-to-many") ||
                 result.error().message.contains("multiple matches") ||
                 result.error().message.contains("duplicate")
             ? hits.several
             : hits.other);
      continue;
    }
    const promql::Vector& vector = result->value.vector;
    ++(vector.empty()              ? hits.none
       : vector.size() > 1         ? hits.several
       : vector.front().value == 0 ? hits.zero
       : vector.front().value == 1 ? hits.one
                                   : hits.other);
  }
  return hits;
}

/// Returns a summary such as "7: 3 to 12" of the queries that have a hit anywhere; "0" without any.
std::string summed_up(const std::vector<const Row*>& rows, int Hits::* what) {
  std::vector<int> numbers;
  for (const Row* row : rows) {
    if (row->hits.*what > 0) numbers.push_back(row->hits.*what);
  }
  if (numbers.empty()) return "0";
  const auto [least, most] = std::ranges::minmax(numbers);
  return std::to_string(numbers.size()) + ": " + std::to_string(least) +
         (most > least ? " to " + std::to_string(most) : "");
}

/// Returns a row for each rule, as docs/lint.md has it.
std::vector<std::string> summary_of(const std::vector<Row>& rows) {
  std::map<std::string, std::vector<const Row*>> by_rule;
  for (const Row& row : rows) {
    for (const std::string& rule : row.rules) by_rule[rule].push_back(&row);
  }
  std::vector<std::string> lines;
  for (const auto& [rule, found] : by_rule) {
    lines.push_back("| " + (rule == no_rule ? rule : "`" + rule + "`") + " | " +
                    std::to_string(found.size()) + " | " + summed_up(found, &Hits::one) + " | " +
                    summed_up(found, &Hits::several) + " | " + summed_up(found, &Hits::none) + " | " +
                    summed_up(found, &Hits::other) + " |");
  }
  return lines;
}

void print_table(const std::vector<Row>& rows) {
  std::printf("   0    1  several none other  findings; query\n");
  for (const Row& row : rows) {
    std::string query;
    for (const char c : row.query) {
      const bool blank = c == ' ' || c == '\n';
      if (!blank || (!query.empty() && query.back() != ' ')) query += blank ? ' ' : c;
    }
    const std::vector<std::string> rules(row.rules.begin(), row.rules.end());
    std::printf("%4d %4d %8d %4d %5d  %s; %s\n", row.hits.zero, row.hits.one, row.hits.several, row.hits.none,
                row.hits.other, join(rules, ", ").c_str(), query.c_str());
  }
}

TEST(PublishedQueries, GetTheFindingsThatTheDocumentationCounts) {
  const std::filesystem::path folder = shared_path("data/prometheus");
  FAIRWAY_NEEDS_SHARED(folder);
  const std::filesystem::path graph_data = shared_path("data/graph-data/2026-02");
  FAIRWAY_NEEDS_SHARED(graph_data);
  const Result<Files> files = read_directory(graph_data.string());
  ASSERT_TRUE(files) << files.error().message;
  const auto clusters = testing::golden_clusters(folder);
  std::vector<Row> rows;
  for (const std::string& query : published_queries(folder / "golden-results.json.gz", *files))
    rows.push_back({query, rules_of(query), hits_of(query, clusters)});
  print_table(rows);
  for (const std::string& line : summary_of(rows)) std::printf("%s\n", line.c_str());
  std::map<std::int64_t, testing::GoldenCluster> nothing_scraped;
  nothing_scraped[0].time = clusters.begin()->second.time;
  for (const Row& row : rows)
    EXPECT_EQ(hits_of(row.query, nothing_scraped).zero > 0, row.rules.contains("promql-absence"))
        << row.query;
  EXPECT_EQ(summary_of(rows), documented_rows("Published queries over made-up clusters"));
}

}  // namespace
}  // namespace fairway::graphdata
