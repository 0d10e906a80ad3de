// Rules of RBAC: what may be done to what.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/internal/access/attributes.h"
#include "base/json.h"

namespace fairway::apiserver::access {

/// An entry of `rules` of a Role or ClusterRole. As in Kubernetes a rule is about resources or about paths
/// that are none; "*" stands for all.
struct Rule {
  std::vector<std::string> verbs, groups, resources, names, paths;

  /// Members that are absent or of another type are empty, so that they allow less.
  static Rule from(const json::Value& document);
  /// The member `rules` of a role.
  static std::vector<Rule> list_from(const json::Value& role);
  json::Value to_json() const;

  bool allows(const Attributes& attributes) const;
  /// As errors write it: `{APIGroups:["apps"], Resources:["deployments"], Verbs:["get"]}`.
  std::string to_string() const;
  friend bool operator==(const Rule&, const Rule&) = default;
};

/// What of `wanted` none of `owned` allows, in rules that are merged where they differ only in their verbs.
/// Empty: `owned` covers all of it. The number of combinations is bounded: what is beyond counts as missing.
/// spec: Kubernetes RBAC, privilege escalation prevention.
std::vector<Rule> missing_rules(const std::vector<Rule>& owned, const std::vector<Rule>& wanted);

}  // namespace fairway::apiserver::access
