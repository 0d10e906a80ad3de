// SPDX-License-Identifier: Apache-2.0

// bench_promql compare RIVAL GRAPH-DATA TURNS: the published queries of graph data over a cluster of 10,000
// series, parsed and evaluated here and by Prometheus's engine, turn by turn. bench_promql random RIVAL COUNT
// SEED: random queries, whose answers have to be the same.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/yaml.h"
#include "cluster_series.h"
#include "promql/engine/engine.h"
#include "promql/parser/parser.h"
#include "promql/random_comparison.h"
#include "random_comparison.h"
#include "rival.h"

namespace fairway::bench {

namespace {

using promql::testing::When;

/// Collects every text under a key `promql` of a document.
void collect(const yaml::Node& node, std::set<std::string>& queries) {
  for (const auto& [key, value] : node.entries) {
    if (key.scalar == "promql" && value.is_scalar()) queries.insert(value.scalar);
    collect(value, queries);
  }
  for (const yaml::Node& item : node.items) collect(item, queries);
}

std::vector<std::string> published_queries(const std::filesystem::path& graph_data) {
  std::set<std::string> queries;
  for (const auto& entry : std::filesystem::directory_iterator(graph_data / "blocked-edges")) {
    const auto text = read_file(entry.path());
    if (!text) throw std::runtime_error(text.error().message);
    const auto parsed = yaml::parse(*text);
    if (!parsed) throw std::runtime_error(entry.path().string() + " is no YAML");
    for (const yaml::Node& document : parsed->documents) collect(document, queries);
  }
  return {queries.begin(), queries.end()};
}

/// Parses and evaluates a query. Returns false if that is not possible.
bool run(const std::string& query, const promql::SeriesStore& store, const When& when) {
  const auto parsed = promql::parse(query);
  if (!parsed) return false;
  if (when.step > 0)
    return promql::range_query(**parsed, query, store, when.start, when.end, when.step).has_value();
  return promql::instant_query(**parsed, query, store, when.start).has_value();
}

/// Returns the nanoseconds of processor time that this process has used so far, which other load on the
/// machine does not affect.
double processor_time() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) * 1e9 + static_cast<double>(used.tv_nsec);
}

double measure(const std::vector<std::string>& queries, const promql::SeriesStore& store, const When& when,
               int rounds) {
  const double began = processor_time();
  for (int round = 0; round < rounds; ++round) {
    for (const std::string& query : queries) {
      if (!run(query, store, when)) throw std::runtime_error("not evaluated: " + query);
    }
  }
  return processor_time() - began;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// Checks that the answers are the same and not errors, and reports the result.
void agree(const std::vector<std::string>& queries, const promql::SeriesStore& store, Rival& rival,
           const When& when) {
  using namespace promql::testing;
  Comparison comparison([&](const Question& question) { return rival.ask(question.query, question.when); },
                        store, promql::Dialect::prometheus3);
  for (const std::string& query : queries) {
    const std::string different = comparison.compare({query, when});
    if (!different.empty()) throw std::runtime_error(query + "\nis answered differently: " + different);
  }
  if (comparison.counts.errors > 0) throw std::runtime_error("some queries cannot be evaluated");
  std::printf("%zu distinct queries: %s\n", queries.size(), comparison.counts.to_string().c_str());
}

/// Prints the figures of one kind of query. Returns how many times as fast we are.
double compare(const char* kind, const std::vector<std::string>& queries, const promql::SeriesStore& store,
               Rival& rival, const When& when, int turns, int rounds) {
  std::vector<double> theirs, ours;
  for (int turn = 0; turn < turns; ++turn) {
    theirs.push_back(rival.measure(queries, when, rounds));
    ours.push_back(measure(queries, store, when, rounds));
  }
  const double each = 1000.0 * rounds * static_cast<double>(queries.size());
  std::printf("%-8s prometheus: %9.1f us a query\n%-8s fairway:    %9.1f us a query\n", kind,
              median(theirs) / each, kind, median(ours) / each);
  return median(theirs) / median(ours);
}

int compare(const std::string& program, const std::string& graph_data, int turns) {
  const promql::SeriesStore store = cluster_series(10'000);
  Rival rival(program, store);
  const When now{cluster_time, cluster_time, 0};
  const When hour{cluster_time - 60 * 60'000, cluster_time, 60'000};
  std::printf("%zu series, %zu samples; one thread each, processor time, medians of %d turns\n",
              store.series_count(), store.point_count(), turns);
  const auto queries = published_queries(graph_data);
  agree(queries, store, rival, now);
  agree(queries, store, rival, hour);
  compare("warm-up", queries, store, rival, now, 1, 5);
  const double range = compare("range", queries, store, rival, hour, turns, 1);
  const double instant = compare("instant", queries, store, rival, now, turns, 20);
  std::printf("promql-range ratio %.3f\npromql ratio %.3f\n", range, instant);
  return 0;
}

}  // namespace

}  // namespace fairway::bench

int main(int argc, char** argv) {
  using namespace fairway::bench;
  const std::string_view mode = argc > 1 ? argv[1] : "";
  try {
    if (mode == "compare" && argc == 5)
      return compare(argv[2], argv[3], static_cast<int>(std::strtol(argv[4], nullptr, 10)));
    if (mode == "random" && argc == 5)
      return compare_random(argv[2], std::strtoull(argv[3], nullptr, 10),
                            std::strtoull(argv[4], nullptr, 10));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
  std::fputs("usage: bench_promql compare RIVAL GRAPH-DATA TURNS | random RIVAL COUNT SEED\n", stderr);
  return 2;
}
