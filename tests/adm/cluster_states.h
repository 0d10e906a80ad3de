// SPDX-License-Identifier: Apache-2.0

// ClusterVersions of tables: a condition is "STATUS TIME REASON MESSAGE", an entry of the history "STATE
// VERSION IMAGE STARTED [COMPLETED]".
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "openshift/cluster_version.h"
#include "support/cases.h"

namespace fairway::adm::testing {

inline std::string time_of(std::string_view clock) {
  return "2026-11-30T" + std::string(clock) + "Z";
}

/// Reads a condition.
inline json::Value condition(const char* type, std::string_view text) {
  std::vector<std::string_view> words;
  for (int count = 0; count < 3; ++count) {
    const std::size_t at = text.find(' ');
    words.push_back(text.substr(0, at));
    text.remove_prefix(at + 1);
  }
  return json::Object{{"type", type},
                      {"status", words[0]},
                      {"lastTransitionTime", time_of(words[1])},
                      {"reason", words[2]},
                      {"message", text}};
}

inline json::Value entry(std::string_view text) {
  const auto words = split(text, ' ');
  json::Object one{
      {"state", words[0]}, {"version", words[1]}, {"image", words[2]}, {"startedTime", time_of(words[3])}};
  if (words.size() > 4) one["completionTime"] = time_of(words[4]);
  return one;
}

/// Reads a state, with the `spec.desiredUpdate` that is asked for.
inline openshift::ClusterVersion cluster(const json::Value& state, const json::Value* asked, int generation) {
  json::Array history, conditions;
  for (const json::Value& one : fairway::testing::field(state, "history").as_array())
    history.push_back(entry(one.as_string()));
  for (const char* type : {"ReleaseAccepted", "Progressing", "Failing", "Invalid"})
    if (const json::Value* one = json::find(state, type))
      conditions.push_back(condition(type, std::string_view(one->as_string())));
  json::Object status{{"history", history}, {"conditions", conditions}};
  if (const json::Value* desired = json::find(state, "desired")) status["desired"] = *desired;
  if (const json::Value* observed = json::find(state, "observed")) status["observedGeneration"] = *observed;
  json::Object spec;
  if (asked != nullptr && asked->is_object()) spec["desiredUpdate"] = *asked;
  return openshift::ClusterVersion(
      json::Object{{"apiVersion", "config.openshift.io/v1"},
                   {"kind", "ClusterVersion"},
                   {"metadata", json::Object{{"name", "version"}, {"generation", generation}}},
                   {"spec", std::move(spec)},
                   {"status", std::move(status)}});
}

}  // namespace fairway::adm::testing
