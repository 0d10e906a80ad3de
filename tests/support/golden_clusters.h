// SPDX-License-Identifier: Apache-2.0

// The made-up clusters of data/prometheus/golden-*.json.gz: what they have as metrics.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "promql/engine/series.h"
#include "promql/parser/go_text.h"

namespace fairway::testing {

inline json::Value read_gzip_json(const std::filesystem::path& path) {
  std::string text;
  FILE* pipe = popen(("gzip -dc '" + path.string() + "'").c_str(), "r");
  if (pipe == nullptr) return nullptr;
  std::array<char, 65536> buffer;
  for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    text.append(buffer.data(), n);
  pclose(pipe);
  return json::parse(text).value_or(nullptr);
}

struct GoldenCluster {
  promql::SeriesStore store;
  promql::Timestamp time = 0;  ///< time of the evaluation
};

/// Samples every minute up to the evaluation; the mode determines their changes (see the note in the file).
inline void add_golden_series(GoldenCluster& cluster, const json::Value& series, promql::Timestamp start) {
  const auto text_of = [&series](std::string_view key) {
    return std::string(json::find_string(series, key).value_or(""));
  };
  std::vector<promql::Label> labels = {{"__name__", text_of("name")}};
  for (const auto& [name, value] : json::find(series, "labels")->as_object())
    labels.emplace_back(std::string(name), std::string(value.as_string()));
  // A mode that the note does not name changes nothing.
  const std::string mode = text_of("mode");
  const json::Value& given = *json::find(series, "value");
  const double value =
      given.is_string() ? *promql::parse_number(given.as_string().c_str()) : given.to_number<double>();
  const promql::LabelsRef set = promql::LabelSet::make(std::move(labels));
  constexpr promql::Timestamp minute = 60'000;
  for (promql::Timestamp time = start; time <= cluster.time; time += minute) {
    const promql::Timestamp before = cluster.time - time;
    if (mode.starts_with("gone") && before <= std::stoi(mode.substr(4)) * minute) continue;
    const bool zero = (mode == "drop0" && before < 20 * minute) || (mode == "rise0" && before > 20 * minute);
    cluster.store.add(set, time, zero ? 0 : value);
  }
}

/// Reads the clusters, by number; none if the file cannot be read.
inline std::map<std::int64_t, GoldenCluster> golden_clusters(const std::filesystem::path& folder) {
  std::map<std::int64_t, GoldenCluster> clusters;
  const json::Value profiles = read_gzip_json(folder / "golden-profiles.json.gz");
  const json::Value* all = json::find(profiles, "profiles");
  if (all == nullptr) return clusters;
  for (const json::Value& profile : all->as_array()) {
    GoldenCluster& cluster = clusters[json::find(profile, "id")->as_int64()];
    cluster.time = json::find(profile, "eval")->as_int64() * 1000;
    for (const json::Value& series : json::find(profile, "series")->as_array())
      add_golden_series(cluster, series, json::find(profile, "start")->as_int64() * 1000);
  }
  return clusters;
}

}  // namespace fairway::testing
