// SPDX-License-Identifier: Apache-2.0

// Rights that grow: what a role allows, or a binding gives, that its predecessor did not.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "k8s/rbac_comparison.h"
#include "k8s/rbac_rule.h"
#include "payload/aggregating_roles.h"
#include "payload/manifest.h"

namespace fairway::payload {

/// A subject that a binding gives a role to.
struct BoundSubject {
  std::string kind, namespace_name, name;

  static BoundSubject of(const json::Object& subject);
  /// Returns `serviceaccount "openshift-dns/dns"`.
  std::string to_string() const;
  friend auto operator<=>(const BoundSubject&, const BoundSubject&) = default;
};

/// The rights that a Role, ClusterRole, RoleBinding or ClusterRoleBinding gives beyond its predecessor.
struct GrownRights {
  ObjectId object;
  /// A role's: what its rules allow and those before did not.
  std::vector<k8s::RbacRule> rules;
  /// A role's rules that are too large to be compared: all that they allow may be new, or nothing.
  std::vector<k8s::RbacRule> not_compared;
  /// A ClusterRole's: the roles that take its rules in and did not: those of the release whose selectors
  /// match, and "admin" for the label `rbac.authorization.k8s.io/aggregate-to-admin: "true"`, as that role
  /// may be one of the cluster.
  std::vector<std::string> aggregated_to;
  /// A ClusterRole's: selectors of roles that it takes in and did not, as compact JSON.
  std::vector<std::string> aggregates;
  /// A binding's: its role, as `clusterrole "admin"`, and the subjects that did not have it by this binding.
  std::string role;
  std::vector<BoundSubject> subjects;

  bool empty() const {
    return rules.empty() && not_compared.empty() && aggregated_to.empty() && aggregates.empty() &&
           subjects.empty();
  }
};

/// The roles and the budget that the rights of two releases are compared with besides the objects themselves.
struct RightsContext {
  AggregatingRoles before, after;
  k8s::ComparisonBudget budget = {};
};

/// Returns the rights that an object gives beyond `before`, its predecessor; nullptr: there was none.
/// std::nullopt: none, or the object is neither role nor binding. The comparison is paid
/// from the budget of `context`; a role that it does not suffice for is wholly in `not_compared`.
std::optional<GrownRights> find_grown_rights(const k8s::Dynamic* before, const k8s::Dynamic& after,
                                             RightsContext& context);

}  // namespace fairway::payload
