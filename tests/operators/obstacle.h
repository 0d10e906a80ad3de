// SPDX-License-Identifier: Apache-2.0

// An obstacle that keeps a release from being applied, from the text of a recorded failure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "operators/update_case.h"

namespace fairway::operators::testing {

/// A manifest of a release that is not done until the test lets it.
struct Obstacle {
  enum class Kind {
    held,           ///< the API server is asked again and again, and nothing is reported
    refused,        ///< the API server's answer is reported
    unserved,       ///< its kind is not served
    updating,       ///< a ClusterOperator of the previous version
    degraded,       ///< a ClusterOperator that is degraded
    unavailable,    ///< a ClusterOperator that is not available
    slow_workload,  ///< a Deployment that is not rolled out
    stuck_workload  ///< a Deployment that is over its deadline
  };
  Kind kind = Kind::held;
  std::string name;
  int code = 503;          ///< status code for a held or refused object
  std::size_t number = 0;  ///< index among several held obstacles

  bool is_operator() const {
    return kind == Kind::updating || kind == Kind::degraded || kind == Kind::unavailable;
  }
  bool is_workload() const { return kind == Kind::slow_workload || kind == Kind::stuck_workload; }
  bool is_asked_for() const { return kind == Kind::held || kind == Kind::refused; }
  /// Returns the name of the ConfigMap.
  std::string map_name() const { return "obstacle-" + name + (number == 0 ? "" : std::to_string(number)); }
  /// Returns the name that the program reports.
  std::string told() const {
    if (is_workload()) return "deployment \"default/" + name + "\"";
    return is_asked_for() ? "configmap \"default/" + map_name() + "\"" : name;
  }
  /// Returns whether it fails only after it has been retried for a while.
  bool takes_time() const {
    return kind != Kind::held && kind != Kind::updating && kind != Kind::stuck_workload;
  }

  std::string yaml(const std::string& version) const {
    switch (kind) {
      case Kind::held:
      case Kind::refused:
        return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + map_name() +
               ", namespace: default}\ndata: {a: \"" + version + "\"}\n";
      case Kind::unserved:
        return "apiVersion: obstacles.example.com/v1\nkind: Obstacle\nmetadata: {name: " + name + "}\n";
      case Kind::updating:
      case Kind::degraded:
      case Kind::unavailable:
        return "apiVersion: config.openshift.io/v1\nkind: ClusterOperator\nmetadata: {name: " + name +
               "}\nspec: {}\nstatus: {versions: [{name: operator, version: " + version + "}]}\n";
      case Kind::slow_workload:
      case Kind::stuck_workload:
        break;
    }
    return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: " + name +
           ", namespace: default}\nspec:\n  selector: {matchLabels: {app: o}}\n  template:\n    metadata: "
           "{labels: {app: o}}\n    spec: {containers: [{name: o, image: \"example.com/o:" +
           version + "\"}]}\n";
  }
};

/// Returns whether two steps have the same obstacles.
inline bool is_same(const std::vector<Obstacle>& left, const std::vector<Obstacle>& right) {
  return std::ranges::equal(left, right, [](const Obstacle& one, const Obstacle& other) {
    return one.kind == other.kind && one.name == other.name && one.code == other.code;
  });
}

/// Returns the obstacles for a recorded failure; std::nullopt for one that the program never reports: reasons
/// that it does not have, and effects that its own errors of that reason do not have.
inline std::optional<std::vector<Obstacle>> obstacles_of(const json::Value& failure, bool reconciling) {
  using Kind = Obstacle::Kind;
  if (!failure.is_object()) return std::vector<Obstacle>{{.name = "gate"}};
  const std::string reason = text(failure, "reason"), effect = text(failure, "updateEffect");
  if (reason == "MultipleErrors") {
    std::vector<Obstacle> all;
    const json::Value& nested = member(failure, "nested");
    for (const json::Value& one : nested.is_array() ? nested.as_array() : json::Array()) {
      const auto more = obstacles_of(one, reconciling);
      if (!more) return std::nullopt;
      all.insert(all.end(), more->begin(), more->end());
    }
    if (all.size() < 2) return std::nullopt;
    return all;
  }
  std::vector<std::string> names;
  if (const json::Value& list = member(failure, "names"); list.is_array()) {
    for (const json::Value& name : list.as_array()) names.emplace_back(name.as_string());
  } else if (const std::string name = text(failure, "name"); !name.empty()) {
    names.push_back(name);
  }
  // The recorded text does not name them.
  if (reason.starts_with("ClusterOperators") && names.size() == 1) names = {names[0] + "-a", names[0] + "-b"};
  if (names.empty()) return std::nullopt;
  const auto each = [&](Kind kind) {
    std::vector<Obstacle> all;
    for (const std::string& name : names) all.push_back({.kind = kind, .name = name});
    return all;
  };
  if (reason == "ClusterOperatorUpdating" || reason == "ClusterOperatorsUpdating")
    return effect == "None" ? std::optional(each(Kind::updating)) : std::nullopt;
  if (reason == "ClusterOperatorDegraded" || reason == "ClusterOperatorsDegraded") {
    const char* const own = reconciling ? "Fail" : "FailAfterInterval";
    return effect == own ? std::optional(each(Kind::degraded)) : std::nullopt;
  }
  if (effect != "Fail") return std::nullopt;
  if (reason == "ClusterOperatorNotAvailable" || reason == "ClusterOperatorsNotAvailable")
    return each(Kind::unavailable);
  if (reason == "WorkloadNotAvailable") return each(Kind::slow_workload);
  if (reason == "WorkloadNotProgressing") return each(Kind::stuck_workload);
  if (reason == "UpdatePayloadResourceTypeMissing") return each(Kind::unserved);
  // The test takes the release away meanwhile.
  if (reason == "UpdatePayloadRetrievalFailed") return std::vector<Obstacle>{{.name = "gate"}};
  static const std::map<std::string, int> codes{
      {"UpdatePayloadClusterUnauthorized", 401}, {"UpdatePayloadResourceForbidden", 403},
      {"UpdatePayloadResourceNotFound", 404},    {"UpdatePayloadResourceConflict", 409},
      {"UpdatePayloadResourceInvalid", 422},     {"UpdatePayloadClusterOverloaded", 429},
      {"UpdatePayloadClusterError", 500},        {"UpdatePayloadClusterDown", 503}};
  const auto code = codes.find(reason);
  if (code == codes.end()) return std::nullopt;
  std::vector<Obstacle> all = each(Kind::refused);
  for (Obstacle& one : all) one.code = code->second;
  return all;
}

}  // namespace fairway::operators::testing
