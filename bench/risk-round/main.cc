// SPDX-License-Identifier: Apache-2.0

// One round over 500 conditional updates with 9 risks each, over 10,000 series in memory: prints the
// milliseconds of the median of 21 first rounds (everything is read, parsed, measured and evaluated) and of
// as many later ones.
//   bench_risk-round [FILE]   FILE holds queries, a JSON list of texts; without it they are made here.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "risk/internal/evaluators/on_series.h"
#include "risk/rounds.h"

namespace {

using namespace fairway;
using namespace fairway::risk;

constexpr int update_count = 500, risks_each = 9, distinct_queries = 59;

/// Returns queries of the kind that graph data publishes.
std::vector<std::string> made_queries() {
  std::vector<std::string> queries;
  for (int i = 0; i < distinct_queries; ++i) {
    const std::string n = std::to_string(i);
    switch (i % 4) {
      case 0:
        queries.push_back("group(cluster_operator_conditions{name=\"op" + n +
                          "\",condition=\"Degraded\"} == 1)\nor\n0 * group(cluster_operator_conditions)");
        break;
      case 1:
        queries.push_back("topk(1,\n  label_replace(group by (version) (cluster_version{version=~\"4[.]" + n +
                          "[.].*\"}), \"born\", \"yes\", \"\", \"\")\n  or\n  label_replace(0 * group by "
                          "(version) (cluster_version{version!~\"4[.]" +
                          n + "[.].*\"}), \"born\", \"no\", \"\", \"\")\n)");
        break;
      case 2:
        queries.push_back("max(max_over_time(metric_" + n +
                          "{job=~\"a|b|c\"}[5m]) > bool 3)\nor\n0 * group(cluster_version)");
        break;
      default:
        queries.push_back(
            "(\n  group by (type) (cluster_infrastructure_provider{_id=\"\",type=~\"AWS|Azure|x" + n +
            "\"})\n  or\n  0 * group by (type) (cluster_infrastructure_provider{_id=\"\"})\n)");
        break;
    }
  }
  return queries;
}

std::vector<std::string> read_queries(const char* file) {
  std::vector<std::string> queries;
  const auto text = read_file(file);
  const auto list = text ? json::parse(*text) : Result<json::Value>(std::unexpected(text.error()));
  if (!list || !list->is_array()) {
    std::fprintf(stderr, "error: %s is not a JSON list of queries\n", file);
    return queries;
  }
  for (const json::Value& query : list->as_array()) queries.emplace_back(query.as_string());
  return queries;
}

/// Returns 10,000 series with a sample each.
promql::SeriesStore make_series(promql::Timestamp time) {
  promql::SeriesStore store;
  const auto add = [&](std::vector<promql::Label> labels, double value) {
    store.add(promql::LabelSet::make(std::move(labels)), time - 15'000, value);
  };
  add({{"__name__", "cluster_version"}, {"version", "4.9.12"}, {"type", "initial"}}, 1);
  add({{"__name__", "cluster_infrastructure_provider"}, {"type", "AWS"}, {"region", "us-east-1"}}, 1);
  for (int i = 0; i < 100; ++i) {
    for (const char* condition : {"Available", "Degraded", "Progressing", "Upgradeable"}) {
      add({{"__name__", "cluster_operator_conditions"},
           {"name", "op" + std::to_string(i)},
           {"condition", condition}},
          i % 7 == 0 ? 1 : 0);
    }
  }
  for (int i = 0; store.series_count() < 10'000; ++i) {
    add({{"__name__", "metric_" + std::to_string(i % 400)},
         {"job", std::string(1, static_cast<char>('a' + i % 5))},
         {"instance", "10.0." + std::to_string(i / 250) + "." + std::to_string(i % 250)},
         {"namespace", "openshift-" + std::to_string(i % 60)}},
        i % 11);
  }
  return store;
}

class InMemory final : public Evaluator {
 public:
  InMemory(const promql::SeriesStore& series, promql::Timestamp time) : series_(series), time_(time) {}
  std::string_view name() const override { return "memory"; }
  bool evaluates_batches() const override { return true; }
  std::vector<std::optional<Answer>> evaluate(std::span<const Question* const> due,
                                              std::span<const Question* const>, std::stop_token) override {
    std::vector<std::optional<Answer>> answers;
    answers.reserve(due.size());
    for (const Question* question : due) {
      auto answer = try_evaluate_on(series_, *question, time_, {});
      answers.push_back(answer ? *std::move(answer) : failure_of(answer.error()));
    }
    evaluated_ += due.size();
    return answers;
  }
  std::size_t evaluated() const { return evaluated_; }

 private:
  const promql::SeriesStore& series_;
  promql::Timestamp time_;
  std::size_t evaluated_ = 0;
};

std::vector<ConditionalUpdate> make_updates(const std::vector<std::string>& queries) {
  std::vector<ConditionalUpdate> updates;
  for (int u = 0; u < update_count; ++u) {
    ConditionalUpdate update{
        Version::parse("4." + std::to_string(u / 50) + "." + std::to_string(u % 50)).value(), {}};
    for (int r = 0; r < risks_each; ++r) {
      const std::size_t q = static_cast<std::size_t>(u * 7 + r) % queries.size();
      const std::string name = "Risk" + std::to_string(q);
      json::Array rules{json::Object{{"type", "PromQL"}, {"promql", json::Object{{"promql", queries[q]}}}}};
      update.risks.push_back({"https://issues.example.com/browse/" + name, name,
                              "Clusters of this kind may lose what " + name +
                                  " is about while they update; finish the work that is under way, or wait "
                                  "for a release that has the fix.",
                              std::move(rules)});
    }
    updates.push_back(std::move(update));
  }
  return updates;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> queries = argc > 1 ? read_queries(argv[1]) : made_queries();
  if (queries.empty()) return 1;
  const auto updates = make_updates(queries);
  FakeClock clock(parse_time("2026-02-19T12:00:00Z").value());
  const promql::Timestamp time = timestamp_of(clock.now());
  const promql::SeriesStore series = make_series(time);
  std::vector<double> first, later;
  std::size_t evaluated = 0, judged = 0;
  for (int turn = 0; turn < 21; ++turn) {
    InMemory evaluator(series, time);
    const Registry registry = standard_registry();
    Rounds rounds(registry, evaluator, {.between_any = {}, .between_same = {}}, clock);
    for (auto* times : {&first, &later}) {
      const auto begun = std::chrono::steady_clock::now();
      const auto verdicts = rounds.run(updates);
      times->push_back(
          std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun).count());
      if (!verdicts) return 1;
      judged = verdicts->size();
    }
    evaluated = evaluator.evaluated() / 2;
  }
  std::printf("%zu updates, %zu queries evaluated: first round %.2f ms, later rounds %.2f ms\n", judged,
              evaluated, median(first), median(later));
  return 0;
}
