// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/access/policy.h"

#include <algorithm>
#include <set>
#include <utility>

#include "k8s/kinds/rbac.h"

namespace fairway::apiserver::access {

namespace {

std::string in_quotes(std::string_view text) {
  std::string out;
  json::append_quoted(out, text);
  return out;
}

std::string no_such_role(std::string_view resource, std::string_view name) {
  return std::string(resource) + ".rbac.authorization.k8s.io " + in_quotes(name) + " not found";
}

std::string no_such_role_of(std::string_view kind, std::string_view name) {
  return no_such_role(kind == "Role" ? "role" : "clusterrole", name);
}

}  // namespace

bool Policy::Subject::is(const User& user) const {
  if (kind == "User") return user.name == name;
  if (kind == "Group") return user.is_in(name);
  return kind == "ServiceAccount" && !namespace_name.empty() && user.name == user_name;
}

std::string Policy::Subject::to_string() const {
  return kind + " " + in_quotes(kind == "ServiceAccount" ? name + "/" + namespace_name : name);
}

const Policy::Subject* Policy::Binding::subject_of(const User& user) const {
  const auto found = std::ranges::find_if(subjects, [&](const Subject& subject) { return subject.is(user); });
  return found == subjects.end() ? nullptr : &*found;
}

std::string Policy::Binding::to_string(const Subject& subject) const {
  const std::string binding = namespace_name.empty()
                                  ? "ClusterRoleBinding " + in_quotes(name)
                                  : "RoleBinding " + in_quotes(name + "/" + namespace_name);
  return binding + " of " + role_kind + " " + in_quotes(role_name) + " to " + subject.to_string();
}

void Policy::put(const json::Value& object) {
  if (!object.is_object()) return;
  const k8s::Dynamic document(object.get_object());
  const bool is_namespaced = document.kind() == "Role" || document.kind() == "RoleBinding";
  // A Role without a namespace would count as one of the cluster.
  if (is_namespaced == document.namespace_name().empty()) return;
  const Name name(document.namespace_name(), document.name());
  if (document.kind() == "Role" || document.kind() == "ClusterRole") {
    roles_[name] = std::make_shared<const std::vector<Rule>>(Rule::list_from(object));
    return;
  }
  if (document.kind() != "RoleBinding" && document.kind() != "ClusterRoleBinding") return;
  Binding binding{.namespace_name = name.first, .name = name.second};
  const k8s::RoleBinding view(object.get_object());
  binding.role_kind = view.role_kind();
  binding.role_name = view.role_name();
  for (const k8s::Subject& subject : view.subjects()) {
    std::string of(subject.namespace_name());
    if (subject.kind() == "ServiceAccount" && of.empty()) of = binding.namespace_name;
    binding.subjects.push_back({.kind = std::string(subject.kind()),
                                .namespace_name = of,
                                .name = std::string(subject.name()),
                                .user_name = service_account_user_name(of, subject.name())});
  }
  bindings_[name] = std::make_shared<const Binding>(std::move(binding));
}

void Policy::remove(std::string_view kind, std::string_view namespace_name, std::string_view name) {
  const Name key(namespace_name, name);
  if (kind == "Role" || kind == "ClusterRole") roles_.erase(key);
  if (kind == "RoleBinding" || kind == "ClusterRoleBinding") bindings_.erase(key);
}

const std::vector<Rule>* Policy::find_role(std::string_view kind, std::string_view namespace_name,
                                           std::string_view name) const {
  if (kind != "Role" && kind != "ClusterRole") return nullptr;
  if (kind == "Role" && namespace_name.empty()) return nullptr;
  const auto found = roles_.find(Name(kind == "Role" ? namespace_name : std::string_view(), name));
  return found == roles_.end() ? nullptr : found->second.get();
}

template <class Use>
bool Policy::visit(const std::shared_ptr<const Binding>& binding, const User& user, Use& use) const {
  const Subject* subject = binding->subject_of(user);
  if (subject == nullptr) return true;
  return use(*binding, *subject, find_role(binding->role_kind, binding->namespace_name, binding->role_name));
}

template <class Use>
void Policy::for_each_binding(const User& user, std::string_view namespace_name, Use use) const {
  // Cluster-scoped ones come first in the map, those of one namespace stand together.
  for (auto at = bindings_.begin(); at != bindings_.end() && at->first.first.empty(); ++at) {
    if (!visit(at->second, user, use)) return;
  }
  if (namespace_name.empty()) return;
  for (auto at = bindings_.lower_bound(Name(namespace_name, ""));
       at != bindings_.end() && at->first.first == namespace_name; ++at) {
    if (!visit(at->second, user, use)) return;
  }
}

Decision Policy::decide(const User& user, const Attributes& attributes) const {
  if (user.is_in(masters_group)) return {.allowed = true};
  Decision decision;
  std::string missing;
  for_each_binding(
      user, attributes.namespace_name,
      [&](const Binding& binding, const Subject& subject, const std::vector<Rule>* rules) {
        if (rules == nullptr) {
          missing += (missing.empty() ? "" : ", ") + no_such_role_of(binding.role_kind, binding.role_name);
          return true;
        }
        if (!std::ranges::any_of(*rules, [&](const Rule& rule) { return allows(rule, attributes); }))
          return true;
        decision = {.allowed = true, .reason = "RBAC: allowed by " + binding.to_string(subject)};
        return false;
      });
  if (!decision.allowed && !missing.empty()) decision.reason = "rbac: RBAC: " + missing;
  return decision;
}

HeldRules Policy::held_by(const User& user, std::string_view namespace_name) const {
  HeldRules held;
  // As kube-apiserver writes it: the resource that is asked about, not the one that is missing.
  const std::string_view resource = namespace_name.empty() ? "clusterroles" : "roles";
  for_each_binding(user, namespace_name,
                   [&](const Binding& binding, const Subject&, const std::vector<Rule>* rules) {
                     if (rules == nullptr) {
                       held.problems.push_back(no_such_role(resource, binding.role_name));
                       held.missing.push_back(no_such_role_of(binding.role_kind, binding.role_name));
                     } else {
                       held.rules.insert(held.rules.end(), rules->begin(), rules->end());
                     }
                     return true;
                   });
  return held;
}

std::string escalation_error(const Policy& policy, const User& user, std::string_view namespace_name,
                             const std::vector<Rule>& wanted) {
  if (user.is_in(masters_group)) return {};
  const HeldRules held = policy.held_by(user, namespace_name);
  const std::vector<Rule> missing = missing_rules(held.rules, wanted);
  if (missing.empty()) return {};
  std::set<std::string> lines;
  for (const Rule& rule : missing) lines.insert(rule.to_string());
  std::string error = "user " + in_quotes(user.name) + " (groups=[";
  for (const std::string& group : user.groups) {
    if (&group != &user.groups.front()) error += ' ';
    error += in_quotes(group);
  }
  error += "]) is attempting to grant RBAC permissions not currently held:";
  for (const std::string& line : lines) error += "\n" + line;
  if (!held.problems.empty()) {
    error += "; resolution errors: [";
    for (const std::string& problem : held.problems) {
      if (&problem != &held.problems.front()) error += ", ";
      error += problem;
    }
    error += ']';
  }
  return error;
}

}  // namespace fairway::apiserver::access
