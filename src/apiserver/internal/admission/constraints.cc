// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/admission/constraints.h"

#include <algorithm>
#include <array>

#include "apiserver/internal/objects/object_text.h"
#include "apiserver/internal/objects/objects.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::admission {

namespace {

constexpr std::array<std::string_view, 6> exempt{
    "validatingwebhookconfigurations",   "mutatingwebhookconfigurations", "validatingadmissionpolicies",
    "validatingadmissionpolicybindings", "mutatingadmissionpolicies",     "mutatingadmissionpolicybindings"};

std::vector<std::string> copied(const std::vector<std::string_view>& texts) {
  return {texts.begin(), texts.end()};
}

bool has(const std::vector<std::string>& list, std::string_view text) {
  return std::ranges::any_of(list, [&](const std::string& one) { return one == "*" || one == text; });
}

std::vector<Rule> read_rules(const k8s::View& of, std::string_view member) {
  std::vector<Rule> rules;
  for (const k8s::View& rule : of.items(member)) rules.emplace_back(rule);
  return rules;
}

/// Reads a label selector. An absent one selects everything.
Result<k8s::LabelSelector> read_selector(const k8s::View& of, std::string_view member) {
  if (!of.has(member)) return k8s::LabelSelector::everything();
  return k8s::LabelSelector::from(of.find(member), member);
}

std::unexpected<k8s::Status> unreadable(const Error& error) {
  return std::unexpected(k8s::answer::internal_error(error.message));
}

}  // namespace

Rule::Rule(const k8s::View& rule)
    : operations_(copied(rule.texts("operations"))),
      groups_(copied(rule.texts("apiGroups"))),
      versions_(copied(rule.texts("apiVersions"))),
      resources_(copied(rule.texts("resources"))),
      names_(copied(rule.texts("resourceNames"))),
      scope_(rule.text("scope", "*")) {}

bool Rule::matches(const Attributes& attributes, const k8s::GroupVersionResource& resource) const {
  const bool is_namespaced = !attributes.is_of_namespaces() && !attributes.namespace_name.empty();
  if (scope_ == "Namespaced" && !is_namespaced) return false;
  if (scope_ == "Cluster" && is_namespaced) return false;
  if (!has(operations_, k8s::to_string(attributes.operation))) return false;
  if (!has(groups_, resource.group) || !has(versions_, resource.version)) return false;
  const auto fits = [&](std::string_view rule) {
    const std::size_t slash = rule.find('/');
    const std::string_view own = rule.substr(0, slash),
                           sub = slash == std::string_view::npos ? "" : rule.substr(slash + 1);
    return (own == "*" || own == resource.resource) && (sub == "*" || sub == attributes.subresource);
  };
  if (!std::ranges::any_of(resources_, fits)) return false;
  return names_.empty() || std::ranges::find(names_, attributes.name) != names_.end();
}

Constraints::Constraints(const k8s::View& of, std::string_view rules, bool matches_without)
    : rules_(read_rules(of, rules)),
      excluded_(read_rules(of, "excludeResourceRules")),
      matches_without_(matches_without),
      is_exact_(of.text("matchPolicy") == "Exact"),
      namespaces_(read_selector(of, "namespaceSelector")),
      objects_(read_selector(of, "objectSelector")) {}

std::optional<Matched> Constraints::match_rules(const std::vector<Rule>& rules, const Attributes& attributes,
                                                const Sources& sources) const {
  const k8s::GroupVersionResource own = attributes.resource.group_version_resource();
  for (const Rule& rule : rules) {
    if (rule.matches(attributes, own)) return Matched{own, attributes.kind, nullptr};
  }
  if (is_exact_ || rules.empty() || attributes.resource.storage.empty()) return std::nullopt;
  std::vector<resources::ServedResourcePtr> others;
  for (resources::ServedResourcePtr& other : sources.registry.all()) {
    const bool is_same = other->storage == attributes.resource.storage;
    if (is_same && other->group_version_resource() != own) others.push_back(std::move(other));
  }
  for (const Rule& rule : rules) {
    for (const resources::ServedResourcePtr& other : others) {
      if (!rule.matches(attributes, other->group_version_resource())) continue;
      // A subresource with a kind of its own has it in all versions.
      const bool has_own_kind = attributes.kind != attributes.resource.kind;
      return Matched{other->group_version_resource(), has_own_kind ? attributes.kind : other->kind,
                     has_own_kind ? nullptr : other};
    }
  }
  return std::nullopt;
}

k8s::StatusResult<bool> Constraints::match_namespace(const Attributes& attributes,
                                                     const Sources& sources) const {
  if (attributes.namespace_name.empty() && !attributes.is_of_namespaces()) return true;
  if (!namespaces_) return unreadable(namespaces_.error());
  if (namespaces_->is_everything()) return true;
  const bool says_itself = attributes.is_of_namespaces() && attributes.subresource.empty() &&
                           attributes.operation != k8s::AdmissionOperation::remove;
  if (says_itself) return namespaces_->matches(attributes.object->labels());
  const auto record = sources.storage.get({"namespaces", "", attributes.namespace_name});
  if (!record) return std::unexpected(resources::status_of(record.error()));
  if (*record == nullptr) {
    return std::unexpected(k8s::answer::not_found({"", "namespaces"}, attributes.namespace_name));
  }
  return namespaces_->matches(resources::parse(**record).labels());
}

k8s::StatusResult<bool> Constraints::match_object(const Attributes& attributes) const {
  if (!objects_) return unreadable(objects_.error());
  if (objects_->is_everything()) return true;
  const auto fits = [&](const k8s::Dynamic* object) {
    return object != nullptr && objects_->matches(object->labels());
  };
  return fits(attributes.object) || fits(attributes.old);
}

k8s::StatusResult<std::optional<Matched>> Constraints::match(const Attributes& attributes,
                                                             const Sources& sources) const {
  // Rules first: they cost least. What cannot be told matters only where they match.
  if (match_rules(excluded_, attributes, sources)) return std::nullopt;
  std::optional<Matched> matched = match_rules(rules_, attributes, sources);
  if (!matched && rules_.empty() && matches_without_) {
    matched = Matched{attributes.resource.group_version_resource(), attributes.kind, nullptr};
  }
  if (!matched) return std::nullopt;
  const auto by_namespace = match_namespace(attributes, sources);
  if (by_namespace && !*by_namespace) return std::nullopt;
  const auto by_object = match_object(attributes);
  if (by_object && !*by_object) return std::nullopt;
  if (!by_namespace) return std::unexpected(by_namespace.error());
  if (!by_object) return std::unexpected(by_object.error());
  return matched;
}

k8s::StatusResult<Versioned> in_version(const Attributes& attributes, const Matched& matched) {
  Versioned versioned;
  for (const auto& [from, to] :
       {std::pair{attributes.object, &versioned.object}, std::pair{attributes.old, &versioned.old}}) {
    if (from == nullptr) continue;
    *to = *from;
    if (matched.as == nullptr) continue;
    if (auto done = attributes.resource.strategy->convert(**to, matched.kind); !done) {
      return std::unexpected(k8s::answer::internal_error(done.error().message()));
    }
  }
  return versioned;
}

bool is_exempt(const Attributes& attributes) {
  return attributes.resource.kind.group == "admissionregistration.k8s.io" &&
         std::ranges::find(exempt, attributes.resource.plural) != exempt.end();
}

}  // namespace fairway::apiserver::admission
