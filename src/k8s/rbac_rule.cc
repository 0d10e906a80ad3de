// SPDX-License-Identifier: Apache-2.0

#include "k8s/rbac_rule.h"

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>
#include <unordered_set>

namespace fairway::k8s {

namespace {

using Texts = std::vector<std::string>;

/// Bound on the combinations of a comparison. A role of 1 MB can name billions; nobody holds so many by rules
/// that name each of them.
constexpr std::size_t max_combinations = 100'000;
/// Bound on the steps of a comparison, about a second in all: a step compares with one held rule, and sorting
/// a text takes `steps_to_sort`. Without it, a user who may write roles and bind them could make a comparison
/// take hours.
constexpr std::size_t max_steps = 4'000'000, steps_to_sort = 8;

bool has(const Texts& texts, std::string_view text) {
  return std::ranges::find(texts, text) != texts.end();
}
bool has_or_all(const Texts& texts, std::string_view text) {
  return has(texts, "*") || has(texts, text);
}

/// Returns "*/scale" for "deployments/scale"; empty for a resource without subresource.
std::string any_parent(std::string_view combined) {
  const std::size_t slash = combined.find('/');
  return slash == std::string_view::npos ? std::string() : "*" + std::string(combined.substr(slash));
}

bool has_resource(const Texts& resources, std::string_view combined) {
  if (has_or_all(resources, combined)) return true;
  const std::string any = any_parent(combined);
  return !any.empty() && has(resources, any);
}

/// Returns whether `paths` allow `path`. A path of a rule is exact, or a prefix that ends with "*".
bool has_path(const Texts& paths, std::string_view path) {
  return std::ranges::any_of(paths, [&](std::string_view allowed) {
    if (allowed == "*" || allowed == path) return true;
    if (!allowed.ends_with('*')) return false;
    allowed.remove_suffix(allowed.size() - 1 - allowed.find_last_not_of('*'));
    return path.starts_with(allowed);
  });
}

Texts texts(const json::Value& document, std::string_view key) {
  Texts found;
  const json::Value* list = json::find(document, key);
  if (list == nullptr || !list->is_array()) return found;
  for (const json::Value& text : list->get_array()) {
    if (text.is_string()) found.emplace_back(text.get_string());
  }
  return found;
}

void append(std::string& out, std::string_view name, const Texts& list) {
  if (list.empty()) return;
  if (out.size() > 1) out += ", ";
  out.append(name) += ":[";
  for (const std::string& text : list) {
    if (&text != &list.front()) out += ' ';
    json::append_quoted(out, text);
  }
  out += ']';
}

/// Texts that are searched many times.
class Index {
 public:
  explicit Index(const Texts& texts) : texts_(texts) {}

  /// Returns whether the texts contain `text`. Adds the steps that this took to `steps`.
  bool has(std::string_view text, std::size_t& steps) {
    constexpr std::size_t few = 8;
    if (texts_.size() <= few) return k8s::has(texts_, text);
    if (sorted_.empty()) {
      sorted_.insert(texts_.begin(), texts_.end());
      steps += texts_.size() * steps_to_sort;
    }
    return sorted_.contains(text);
  }
  bool has_or_all(std::string_view text, std::size_t& steps) { return has("*", steps) || has(text, steps); }

 private:
  const Texts& texts_;
  std::unordered_set<std::string_view> sorted_;  ///< built at the first search among many texts
};

/// Rules that a user holds, to be compared with many others.
class Held {
 public:
  explicit Held(const std::vector<RbacRule>& rules) {
    for (const RbacRule& rule : rules) rules_.emplace_back(rule);
  }
  /// Returns whether one of them allows all of `single`, which has one verb and one resource or path.
  bool covers(const RbacRule& single) {
    return std::ranges::any_of(rules_, [&](Indexed& rule) { return covers(rule, single); });
  }
  std::size_t steps() const { return steps_; }

 private:
  struct Indexed {
    explicit Indexed(const RbacRule& rule)
        : rule(rule), verbs(rule.verbs), groups(rule.groups), resources(rule.resources), names(rule.names) {}
    const RbacRule& rule;
    Index verbs, groups, resources, names;
  };

  bool covers(Indexed& held, const RbacRule& single) {
    ++steps_;
    if (!held.verbs.has_or_all(single.verbs.front(), steps_)) return false;
    if (!single.paths.empty()) {
      steps_ += held.rule.paths.size();
      return has_path(held.rule.paths, single.paths.front());
    }
    if (!held.groups.has_or_all(single.groups.front(), steps_)) return false;
    const std::string& resource = single.resources.front();
    if (!held.resources.has_or_all(resource, steps_)) {
      const std::string any = any_parent(resource);
      if (any.empty() || !held.resources.has(any, steps_)) return false;
    }
    if (held.rule.names.empty()) return true;
    return !single.names.empty() && held.names.has(single.names.front(), steps_);
  }

  std::deque<Indexed> rules_;
  std::size_t steps_ = 0;
};

/// Calls `use` with each combination of a rule's parts until it returns false.
template <class Use>
void for_each_single(const RbacRule& rule, Use use) {
  for (const std::string& verb : rule.verbs) {
    for (const std::string& path : rule.paths) {
      if (!use(RbacRule{.verbs = {verb}, .paths = {path}})) return;
    }
  }
  for (const std::string& group : rule.groups) {
    for (const std::string& resource : rule.resources) {
      for (const std::string& verb : rule.verbs) {
        if (rule.names.empty()) {
          if (!use(RbacRule{.verbs = {verb}, .groups = {group}, .resources = {resource}})) return;
        }
        for (const std::string& name : rule.names) {
          if (!use(RbacRule{.verbs = {verb}, .groups = {group}, .resources = {resource}, .names = {name}}))
            return;
        }
      }
    }
  }
}

/// Merges single rules that differ only in their verbs; paths stay apart, as in Kubernetes.
class Merged {
 public:
  void add(RbacRule single) {
    if (!single.paths.empty()) {
      rules_.push_back(std::move(single));
      return;
    }
    const auto key = std::tuple(single.groups.front(), single.resources.front(),
                                single.names.empty() ? std::string() : single.names.front());
    const auto [found, is_new] = by_resource_.try_emplace(key, rules_.size());
    if (is_new) {
      rules_.push_back(std::move(single));
    } else if (Texts& verbs = rules_[found->second].verbs; !has(verbs, single.verbs.front())) {
      verbs.push_back(std::move(single.verbs.front()));
    }
  }
  std::vector<RbacRule> release() { return std::move(rules_); }

 private:
  std::vector<RbacRule> rules_;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> by_resource_;
};

}  // namespace

RbacRule RbacRule::from(const json::Value& document) {
  return {.verbs = texts(document, "verbs"),
          .groups = texts(document, "apiGroups"),
          .resources = texts(document, "resources"),
          .names = texts(document, "resourceNames"),
          .paths = texts(document, "nonResourceURLs")};
}

std::vector<RbacRule> RbacRule::list_from(const json::Value& role) {
  std::vector<RbacRule> rules;
  const json::Value* list = json::find(role, "rules");
  if (list == nullptr || !list->is_array()) return rules;
  for (const json::Value& rule : list->get_array()) rules.push_back(from(rule));
  return rules;
}

json::Value RbacRule::to_json() const {
  json::Object document;
  const auto set = [&](std::string_view key, const Texts& list) {
    if (!list.empty()) document[key] = json::Array(list.begin(), list.end());
  };
  document["verbs"] = json::Array(verbs.begin(), verbs.end());
  set("apiGroups", groups);
  set("resources", resources);
  set("resourceNames", names);
  set("nonResourceURLs", paths);
  return document;
}

bool RbacRule::allows_resource(std::string_view verb, std::string_view group, std::string_view resource,
                               std::string_view name) const {
  return has_or_all(verbs, verb) && has_or_all(groups, group) && has_resource(resources, resource) &&
         (names.empty() || has(names, name));
}

bool RbacRule::allows_path(std::string_view verb, std::string_view path) const {
  return has_or_all(verbs, verb) && has_path(paths, path);
}

std::string RbacRule::to_string() const {
  std::string out = "{";
  append(out, "APIGroups", groups);
  append(out, "Resources", resources);
  append(out, "NonResourceURLs", paths);
  append(out, "ResourceNames", names);
  append(out, "Verbs", verbs);
  return out + "}";
}

std::vector<RbacRule> missing_rules(const std::vector<RbacRule>& owned, const std::vector<RbacRule>& wanted) {
  Merged missing;
  Held held(owned);
  std::size_t combinations = 0;
  for (const RbacRule& rule : wanted) {
    bool too_many = false;
    for_each_single(rule, [&](RbacRule single) {
      too_many = ++combinations > max_combinations || held.steps() > max_steps;
      if (!too_many && !held.covers(single)) missing.add(std::move(single));
      return !too_many;
    });
    if (too_many) {
      std::vector<RbacRule> rules = missing.release();
      rules.push_back(rule);
      return rules;
    }
  }
  return missing.release();
}

}  // namespace fairway::k8s
