// 8,300 answers of Prometheus 2.42: 83 published expressions over 100 made-up clusters.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "base/go_text.h"
#include "base/json.h"
#include "promql/engine/engine.h"
#include "promql/parser/go_text.h"
#include "promql/parser/parser.h"
#include "support/shared_data.h"

namespace fairway::promql {
namespace {

json::Value read_gzip_json(const std::filesystem::path& path) {
  std::string text;
  FILE* pipe = popen(("gzip -dc '" + path.string() + "'").c_str(), "r");
  if (pipe == nullptr) return nullptr;
  std::array<char, 65536> buffer;
  for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    text.append(buffer.data(), n);
  pclose(pipe);
  return json::parse(text).value_or(nullptr);
}

std::string text_of(const json::Value& value, std::string_view key) {
  return std::string(json::find_string(value, key).value_or(""));
}

struct Cluster {
  SeriesStore store;
  Timestamp time = 0;
};

/// Samples every minute up to the evaluation; the mode says how they change (the note in the file).
void add_series(Cluster& cluster, const json::Value& series, Timestamp start) {
  std::vector<Label> labels = {{"__name__", text_of(series, "name")}};
  for (const auto& [name, value] : json::find(series, "labels")->as_object())
    labels.emplace_back(std::string(name), std::string(value.as_string()));
  // A mode that the note does not name changes nothing.
  const std::string mode = text_of(series, "mode");
  const json::Value& given = *json::find(series, "value");
  const double value =
      given.is_string() ? *parse_number(given.as_string().c_str()) : given.to_number<double>();
  const LabelsRef set = LabelSet::make(std::move(labels));
  constexpr Timestamp minute = 60'000;
  for (Timestamp time = start; time <= cluster.time; time += minute) {
    const Timestamp before = cluster.time - time;
    if (mode.starts_with("gone") && before <= std::stoi(mode.substr(4)) * minute) continue;
    const bool zero = (mode == "drop0" && before < 20 * minute) || (mode == "rise0" && before > 20 * minute);
    cluster.store.add(set, time, zero ? 0 : value);
  }
}

/// What the cluster-version operator makes of an answer.
std::string verdict(const std::expected<QueryResult, QueryError>& result) {
  if (!result) return "unknown:execution";
  const Vector& vector = result->value.vector;
  if (vector.size() != 1) return "unknown:length";
  if (vector[0].value == 0) return "no-match";
  return vector[0].value == 1 ? "match" : "unknown:value";
}

std::multimap<std::string, std::string> by_value(const Vector& vector) {
  std::multimap<std::string, std::string> result;
  for (const Sample& sample : vector)
    result.emplace(go_plain_number(sample.value), sample.metric.to_string());
  return result;
}

std::multimap<std::string, std::string> by_value(const json::Array& answer) {
  std::multimap<std::string, std::string> result;
  for (const json::Value& sample : answer) {
    std::vector<Label> labels;
    for (const auto& [name, value] : json::find(sample, "metric")->as_object())
      labels.emplace_back(std::string(name), std::string(value.as_string()));
    result.emplace(text_of(sample, "value"), Metric(LabelSet::make(std::move(labels))).to_string());
  }
  return result;
}

TEST(Golden, GivesEveryAnswerOfPrometheus2) {
  const auto folder = fairway::testing::shared_path("data/prometheus");
  FAIRWAY_NEEDS_SHARED(folder);
  const json::Value profiles = read_gzip_json(folder / "golden-profiles.json.gz");
  const json::Value answers = read_gzip_json(folder / "golden-results.json.gz");
  ASSERT_TRUE(profiles.is_object() && answers.is_object());

  std::map<std::int64_t, Cluster> clusters;
  for (const json::Value& profile : json::find(profiles, "profiles")->as_array()) {
    Cluster& cluster = clusters[json::find(profile, "id")->as_int64()];
    cluster.time = json::find(profile, "eval")->as_int64() * 1000;
    for (const json::Value& series : json::find(profile, "series")->as_array())
      add_series(cluster, series, json::find(profile, "start")->as_int64() * 1000);
  }
  const json::Array& queries = json::find(answers, "queries")->as_array();
  // A tie decides whether these fail.
  constexpr std::int64_t decided_by_tie[] = {66, 67};
  EngineOptions options;
  options.dialect = Dialect::prometheus2;
  int compared = 0;
  for (const json::Value& expected : json::find(answers, "results")->as_array()) {
    const std::int64_t number = json::find(expected, "q")->as_int64();
    if (number == decided_by_tie[0] || number == decided_by_tie[1]) continue;
    const std::string query(queries[static_cast<std::size_t>(number)].as_string());
    const auto parsed = parse(query, options.dialect);
    ASSERT_TRUE(parsed) << query;
    Cluster& cluster = clusters[json::find(expected, "p")->as_int64()];
    const auto result = instant_query(**parsed, query, cluster.store, cluster.time, options);
    ++compared;
    EXPECT_EQ(verdict(result), text_of(expected, "cvo")) << query;
    if (const auto error = json::find_string(expected, "error")) {
      ASSERT_FALSE(result) << query;
      EXPECT_EQ(result.error().message, *error) << query;
      continue;
    }
    ASSERT_TRUE(result) << query << ": " << result.error().message;
    EXPECT_EQ(by_value(result->value.vector), by_value(json::find(expected, "result")->as_array())) << query;
  }
  EXPECT_EQ(compared, 8'100);
}

}  // namespace
}  // namespace fairway::promql
