// SPDX-License-Identifier: Apache-2.0

#include "k8s/rbac_comparison.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "k8s/internal/rbac_match.h"

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

/// A rule may take one part in so many of a budget.
constexpr std::size_t shares = 4;

/// Texts that are searched many times.
class Index {
 public:
  explicit Index(const Texts& texts) : texts_(texts) {}

  /// Returns whether the texts contain `text`. Adds the steps that this took to `steps`.
  bool has(std::string_view text, std::size_t& steps) {
    constexpr std::size_t few = 8;
    if (texts_.size() <= few) return internal::has(texts_, text);
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
      return internal::has_path(held.rule.paths, single.paths.front());
    }
    if (!held.groups.has_or_all(single.groups.front(), steps_)) return false;
    const std::string& resource = single.resources.front();
    if (!held.resources.has_or_all(resource, steps_)) {
      const std::string any = internal::any_parent(resource);
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
    } else if (Texts& verbs = rules_[found->second].verbs; !internal::has(verbs, single.verbs.front())) {
      verbs.push_back(std::move(single.verbs.front()));
    }
  }
  std::vector<RbacRule> release() { return std::move(rules_); }

 private:
  std::vector<RbacRule> rules_;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> by_resource_;
};

/// Returns a text that rules share if they have the same entries, in whatever order.
std::string sorted_text(RbacRule rule) {
  for (Texts* texts : {&rule.verbs, &rule.groups, &rule.resources, &rule.names, &rule.paths})
    std::ranges::sort(*texts);
  return rule.to_string();
}

}  // namespace

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

RuleComparison compare_rules(const std::vector<RbacRule>& owned, const std::vector<RbacRule>& wanted,
                             ComparisonBudget& budget) {
  RuleComparison result;
  std::unordered_set<std::string> same;
  for (const RbacRule& rule : owned) same.insert(sorted_text(rule));
  Merged missing;
  Held held(owned);
  for (const RbacRule& rule : wanted) {
    if (same.contains(sorted_text(rule))) continue;
    const std::size_t before = held.steps();
    std::vector<RbacRule> singles;
    std::size_t steps = 0;
    bool fits = true;
    for_each_single(rule, [&](RbacRule single) {
      if (!held.covers(single)) singles.push_back(std::move(single));
      ++steps;
      fits = steps + held.steps() - before <= budget.steps / shares && singles.size() <= budget.kept / shares;
      return fits;
    });
    budget.steps -= std::min(budget.steps, steps + held.steps() - before);
    if (fits) {
      budget.kept -= singles.size();
      for (RbacRule& single : singles) missing.add(std::move(single));
    } else {
      (owned.empty() ? result.missing : result.not_compared).push_back(rule);
    }
  }
  std::ranges::move(missing.release(), std::back_inserter(result.missing));
  return result;
}

}  // namespace fairway::k8s
