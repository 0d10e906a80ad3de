// SPDX-License-Identifier: Apache-2.0

// Authorization by RBAC: roles, and who is bound to them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/internal/access/attributes.h"
#include "apiserver/internal/access/rule.h"
#include "apiserver/internal/access/user.h"
#include "base/json.h"

namespace fairway::apiserver::access {

struct Decision {
  bool allowed = false;
  /// Reason why it is allowed: `RBAC: allowed by ClusterRoleBinding "a" of ClusterRole "b" to User "c"`. For
  /// a refusal: the bindings that concern the user but whose role is missing; empty if there are none.
  std::string reason;
};

/// Decides on a request, as `Policy::decide` does.
using Authorizer = std::function<Decision(const User& user, const Attributes& attributes)>;

/// The rules that a user holds in a namespace, and at the cluster scope.
struct HeldRules {
  std::vector<Rule> rules;
  /// Bindings of the user whose role is missing, as errors of writes show them:
  /// `clusterroles.rbac.authorization.k8s.io "a" not found`.
  std::vector<std::string> problems;
  /// Bindings without a role as reviews and refusals show them: `clusterrole.rbac.authorization.k8s.io "a"
  /// not found`.
  std::vector<std::string> missing;
};

/// Roles and bindings, read from their documents. Not safe for use by several threads. Copies are cheap, as
/// entries are shared: one thread may change a copy and publish it.
class Policy {
 public:
  /// Puts an object of one of the four kinds in place of its former state. Other kinds are ignored. Malformed
  /// parts of it grant nothing.
  void put(const json::Value& object);
  /// Removes an object. `kind`: "ClusterRole", "Role", "ClusterRoleBinding", "RoleBinding".
  void remove(std::string_view kind, std::string_view namespace_name, std::string_view name);

  /// Decides on a request. A member of `system:masters` may do everything.
  Decision decide(const User& user, const Attributes& attributes) const;
  /// The rules that apply to a user in `namespace_name`; empty: at the cluster scope.
  HeldRules held_by(const User& user, std::string_view namespace_name) const;
  /// The rules of a role; nullptr if it does not exist. `kind` is "ClusterRole" or "Role".
  const std::vector<Rule>* find_role(std::string_view kind, std::string_view namespace_name,
                                     std::string_view name) const;

 private:
  struct Subject {
    std::string kind, namespace_name, name;
    std::string user_name;  ///< full name of a ServiceAccount: `system:serviceaccount:NAMESPACE:NAME`

    bool is(const User& user) const;
    std::string to_string() const;
  };
  struct Binding {
    std::string namespace_name, name;
    std::string role_kind, role_name;
    std::vector<Subject> subjects;

    const Subject* subject_of(const User& user) const;
    std::string to_string(const Subject& subject) const;
  };
  using Rules = std::shared_ptr<const std::vector<Rule>>;
  using Name = std::pair<std::string, std::string>;  ///< namespace (empty if cluster-scoped) and name

  /// Calls `use(binding, subject, rules)` of each binding that concerns the user, until it returns false.
  /// `rules` is nullptr if the role is missing.
  template <class Use>
  void for_each_binding(const User& user, std::string_view namespace_name, Use use) const;
  template <class Use>
  bool visit(const std::shared_ptr<const Binding>& binding, const User& user, Use& use) const;

  std::map<Name, Rules> roles_;
  std::map<Name, std::shared_ptr<const Binding>> bindings_;
};

/// Returns the error of a user who grants rights that they do not hold, with a Role or ClusterRole of the
/// rules `wanted` or a binding to such a role. Empty: allowed. `namespace_name` is empty for cluster-scoped
/// ones. The caller checks first whether the user may "escalate" the role or "bind" it.
std::string escalation_error(const Policy& policy, const User& user, std::string_view namespace_name,
                             const std::vector<Rule>& wanted);

}  // namespace fairway::apiserver::access
