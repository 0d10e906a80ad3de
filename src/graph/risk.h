// SPDX-License-Identifier: Apache-2.0

// A known risk of an update, and the matching rules that select the affected clusters.
#pragma once

#include <string>

#include "base/json.h"

namespace fairway::graph {

/// An entry of `risks`, as docs/risks.md, section Enhanced Cincinnati JSON representation, defines it.
struct Risk {
  std::string url = {};
  std::string name = {};
  std::string message = {};
  /// Objects with at least `type`, in order of precedence; unknown types and properties are kept as
  /// received.
  json::Array matching_rules = {};

  /// Returns {"url","name","message","matchingRules"} as compact JSON: equal texts are equal bodies.
  std::string body() const;
  /// Appends `body()`.
  void append_json(std::string& out) const;
};

/// The name of the risk for graph data that could not be understood.
inline constexpr const char* graph_data_not_understood = "GraphDataNotUnderstood";
/// The URL of risks that Fairway itself adds, if no page about them is configured (--public-url,
/// --problem-url): a name (RFC 8141), which leads nowhere. Clusters want a URI, not an address.
inline constexpr const char* not_understood_url = "urn:fairway:problem:graph-data-not-understood";

/// Returns the list of one rule, `{"type":"Always"}`.
json::Array always_rule();

/// Makes rules canonical: the property of the PromQL type is written `promql`, also if it was read as
/// `PromQL` (the enhancement has both spellings); nothing else changes.
void canonicalize_rules(json::Array& matching_rules);

}  // namespace fairway::graph
