// SPDX-License-Identifier: Apache-2.0

#include "payload/rights_text.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace fairway::payload {

namespace {

using Texts = std::vector<std::string>;

constexpr std::size_t most_texts = 8, most_bytes = 170, most_bytes_of_one = 100;

/// The order of what is shown: all, what gives further rights, anything else.
enum class Weight { all, more_rights, plain };

Weight weight_of_verb(std::string_view verb) {
  static const std::set<std::string_view> heavy{"escalate", "bind", "impersonate", "approve", "sign", "use"};
  return verb == "*" ? Weight::all : heavy.contains(verb) ? Weight::more_rights : Weight::plain;
}

Weight weight_of_target(std::string_view target) {
  static const std::set<std::string_view> heavy{"secrets",
                                                "pods/exec",
                                                "pods/attach",
                                                "pods/portforward",
                                                "pods/proxy",
                                                "pods/ephemeralcontainers",
                                                "services/proxy",
                                                "nodes/proxy",
                                                "serviceaccounts/token",
                                                "roles",
                                                "clusterroles",
                                                "rolebindings",
                                                "clusterrolebindings",
                                                "certificatesigningrequests/approval",
                                                "mutatingwebhookconfigurations",
                                                "validatingwebhookconfigurations",
                                                "securitycontextconstraints"};
  if (target.contains('*')) return Weight::all;
  return heavy.contains(target) ? Weight::more_rights : Weight::plain;
}

/// The weightiest of many texts, and the number of all.
class Some {
 public:
  void add(const std::string& text, Weight weight) {
    ++count_;
    if (first_.size() == most_texts && first_.back().first <= weight) return;
    const auto behind = std::ranges::upper_bound(first_, weight, {}, &std::pair<Weight, std::string>::first);
    first_.emplace(behind, weight, text);
    if (first_.size() > most_texts) first_.pop_back();
  }
  void add_unnamed(std::size_t number) { count_ += number; }
  Weight weight() const { return first_.empty() ? Weight::plain : first_.front().first; }

  /// Returns the text. Sets `is_whole` to false if it does not show all.
  std::string to_string(bool& is_whole) const {
    std::string out;
    std::size_t shown = 0;
    for (const auto& [weight, text] : first_) {
      const std::string short_text = printable(text, most_bytes_of_one);
      if (shown > 0 && out.size() + short_text.size() > most_bytes) break;
      if (short_text.size() > most_bytes_of_one) is_whole = false;
      out += (shown == 0 ? "" : ", ") + short_text;
      ++shown;
    }
    if (shown == count_) return out;
    is_whole = false;
    return out + " and " + std::to_string(count_ - shown) + " more";
  }

 private:
  std::vector<std::pair<Weight, std::string>> first_;  ///< sorted by weight
  std::size_t count_ = 0;
};

Texts by_weight(Texts texts) {
  std::ranges::stable_sort(texts, {}, [](const std::string& text) { return weight_of_target(text); });
  return texts;
}

/// Adds what a rule is about: `secrets "a"`, "deployments.apps", "*.*", "/metrics".
void add_targets(Some& targets, const k8s::RbacRule& rule) {
  for (const std::string& path : rule.paths) targets.add(path, weight_of_target(path));
  const std::size_t all =
      rule.groups.size() * rule.resources.size() * std::max<std::size_t>(rule.names.size(), 1);
  std::size_t added = 0;
  // A rule that was too large to be compared may name billions: most are only counted.
  const auto add = [&](const std::string& resource, const std::string& group, const std::string& name) {
    const std::string target = group.empty() ? resource : resource + "." + group;
    targets.add(name.empty() ? target : target + " \"" + name + "\"",
                std::min(weight_of_target(resource), weight_of_target(group)));
    return ++added < most_texts;
  };
  const auto add_first = [&] {
    for (const std::string& resource : by_weight(rule.resources)) {
      for (const std::string& group : by_weight(rule.groups)) {
        if (rule.names.empty() && !add(resource, group, "")) return;
        for (const std::string& name : rule.names) {
          if (!add(resource, group, name)) return;
        }
      }
    }
  };
  add_first();
  targets.add_unnamed(all - added);
}

}  // namespace

RightsText describe(const std::vector<k8s::RbacRule>& rules) {
  struct Line {
    Some verbs, targets;
  };
  std::vector<Line> lines;
  std::map<std::set<std::string>, std::size_t> by_verbs;
  for (const k8s::RbacRule& rule : rules) {
    const auto [same, is_new] =
        by_verbs.try_emplace(std::set<std::string>(rule.verbs.begin(), rule.verbs.end()), lines.size());
    if (is_new) {
      Line& line = lines.emplace_back();
      for (const std::string& verb : rule.verbs) line.verbs.add(verb, weight_of_verb(verb));
    }
    add_targets(lines[same->second].targets, rule);
  }
  std::ranges::stable_sort(
      lines, {}, [](const Line& line) { return std::min(line.verbs.weight(), line.targets.weight()); });
  RightsText text;
  for (const Line& line : lines) {
    text.lines.push_back(line.verbs.to_string(text.is_whole) + " on " +
                         line.targets.to_string(text.is_whole));
  }
  return text;
}

}  // namespace fairway::payload
