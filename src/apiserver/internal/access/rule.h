// SPDX-License-Identifier: Apache-2.0

// Rules of RBAC: what may be done to what.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/internal/access/attributes.h"
#include "base/json.h"

namespace fairway::apiserver::access {

/// An entry of `rules` of a Role or ClusterRole. As in Kubernetes, a rule is about resources or about paths
/// that are no resources; "*" stands for all.
struct Rule {
  std::vector<std::string> verbs, groups, resources, names, paths;

  /// Reads a rule. Members that are absent or of another type are empty, so that they allow less.
  static Rule from(const json::Value& document);
  /// Reads the member `rules` of a role.
  static std::vector<Rule> list_from(const json::Value& role);
  json::Value to_json() const;

  bool allows(const Attributes& attributes) const;
  /// The rule as errors show it: `{APIGroups:["apps"], Resources:["deployments"], Verbs:["get"]}`.
  std::string to_string() const;
  friend bool operator==(const Rule&, const Rule&) = default;
};

/// Returns the part of `wanted` that none of `owned` allows, as rules that are merged where they differ only
/// in their verbs. Empty: `owned` covers all of it. The number of combinations is bounded; those beyond the
/// bound count as missing.
/// spec: Kubernetes RBAC, privilege escalation prevention.
std::vector<Rule> missing_rules(const std::vector<Rule>& owned, const std::vector<Rule>& wanted);

}  // namespace fairway::apiserver::access
