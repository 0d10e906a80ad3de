// A known risk of an update, and the rules that say which clusters it concerns.
#pragma once

#include <string>

#include "base/json.h"

namespace fairway::graph {

/// spec: targeted-update-edge-blocking, Enhanced Cincinnati JSON representation, `risks`.
struct Risk {
  std::string url;
  std::string name;
  std::string message;
  /// Objects with at least `type`, in order of precedence; unknown types and properties are kept as they
  /// came.
  json::Array matching_rules;

  /// {"url","name","message","matchingRules"} as compact JSON: equal texts are equal bodies.
  std::string body() const;
  /// Appends `body()`.
  void append_json(std::string& out) const;
};

/// The name of the risk that stands for graph data that could not be understood.
inline constexpr const char* graph_data_not_understood = "GraphDataNotUnderstood";
/// Where risks that Fairway itself makes point, unless somebody knows a better page (--problem-url).
inline constexpr const char* not_understood_url = "https://fairway.dev/problems/graph-data-not-understood";

/// One `{"type":"Always"}`.
json::Array always_rule();

/// Makes rules canonical: the PromQL type's property is written `promql`, inside and out, also where it was
/// read as `PromQL` (the spec has both); nothing else changes.
void canonicalize_rules(json::Array& matching_rules);

}  // namespace fairway::graph
