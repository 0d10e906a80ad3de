// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/access/default_policy.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "apiserver/internal/access/rule.h"
#include "default-policy.json.h"
#include "k8s/label_selector.h"
#include "k8s/object.h"

namespace fairway::apiserver::access {

namespace {

constexpr std::string_view autoupdate = "rbac.authorization.kubernetes.io/autoupdate";
constexpr std::string_view rbac_group = "rbac.authorization.k8s.io";

std::string_view text(const json::Value& document, std::string_view key) {
  return json::find_string(document, key).value_or("");
}

/// Returns the subject that a text names: "ServiceAccount/kube-system/a", "User/a", "Group/a".
json::Value subject_of(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::string_view kind = text.substr(0, slash);
  text.remove_prefix(slash + 1);
  if (kind != "ServiceAccount") return json::Object{{"kind", kind}, {"apiGroup", rbac_group}, {"name", text}};
  const std::size_t end = text.find('/');
  return json::Object{{"kind", kind}, {"name", text.substr(end + 1)}, {"namespace", text.substr(0, end)}};
}

json::Value object_of(const json::Value& entry) {
  json::Object metadata{{"name", text(entry, "name")}};
  if (const auto* of = json::find(entry, "namespace")) metadata["namespace"] = *of;
  json::Object labels{{"kubernetes.io/bootstrapping", "rbac-defaults"}};
  if (const auto* further = json::find(entry, "labels")) {
    for (const auto& label : further->get_object()) labels.insert(label);
  }
  metadata["labels"] = std::move(labels);
  metadata["annotations"] = json::Object{{autoupdate, "true"}};
  json::Object object{{"apiVersion", std::string(rbac_group) + "/v1"},
                      {"kind", text(entry, "kind")},
                      {"metadata", std::move(metadata)}};
  for (const std::string_view member : {"rules", "aggregationRule"}) {
    if (const auto* value = json::find(entry, member)) object[member] = *value;
  }
  if (const auto role = json::find_string(entry, "role")) {
    const std::size_t slash = role->find('/');
    json::Array subjects;
    for (const json::Value& subject : json::find(entry, "subjects")->get_array()) {
      subjects.push_back(subject_of(std::string_view(subject.get_string())));
    }
    if (!subjects.empty()) object["subjects"] = std::move(subjects);
    object["roleRef"] = json::Object{
        {"apiGroup", rbac_group}, {"kind", role->substr(0, slash)}, {"name", role->substr(slash + 1)}};
  }
  return object;
}

const json::Array* find_list(const json::Value& document, std::string_view key) {
  const json::Value* list = json::find(document, key);
  return list != nullptr && list->is_array() ? &list->get_array() : nullptr;
}

/// Appends `missing` to the list `key` of `object`. Returns whether there was anything to append.
bool add_missing(json::Object& object, std::string_view key, const std::vector<json::Value>& missing) {
  if (missing.empty()) return false;
  json::Value& list = object[key];
  if (!list.is_array()) list = json::Array();
  for (const json::Value& value : missing) list.get_array().push_back(value);
  return true;
}

std::vector<json::Value> missing_rules_of(const json::Value& stored, const json::Value& wanted) {
  std::vector<json::Value> missing;
  for (const Rule& rule : missing_rules(Rule::list_from(stored), Rule::list_from(wanted))) {
    missing.push_back(rule.to_json());
  }
  return missing;
}

std::vector<json::Value> missing_subjects_of(const json::Value& stored, const json::Value& wanted) {
  std::vector<json::Value> missing;
  const json::Array* have = find_list(stored, "subjects");
  const json::Array* want = find_list(wanted, "subjects");
  if (want == nullptr) return missing;
  for (const json::Value& subject : *want) {
    if (have == nullptr || std::ranges::find(*have, subject) == have->end()) missing.push_back(subject);
  }
  return missing;
}

}  // namespace

std::vector<json::Value> default_policy() {
  std::vector<json::Value> objects;
  const auto entries = json::parse(default_policy_json);
  if (!entries) return objects;  // a test reads all of it
  for (const json::Value& entry : entries->get_array()) objects.push_back(object_of(entry));
  return objects;
}

std::optional<json::Value> reconciled(const json::Value& stored, const json::Value& wanted) {
  if (!stored.is_object()) return std::nullopt;
  const k8s::Dynamic now(stored.get_object());
  if (const auto update = now.annotations().find(autoupdate); update && *update != "true")
    return std::nullopt;
  json::Object object = stored.get_object();
  bool changed = false;
  if (!now.has("aggregationRule")) {
    changed = add_missing(object, "rules", missing_rules_of(stored, wanted));
  }
  if (add_missing(object, "subjects", missing_subjects_of(stored, wanted))) changed = true;
  if (!changed) return std::nullopt;
  return object;
}

json::Array aggregated_rules(const json::Value& role, const std::vector<json::Value>& roles) {
  std::vector<k8s::LabelSelector> selectors;
  if (const json::Value* rule = json::find(role, "aggregationRule")) {
    if (const json::Array* list = find_list(*rule, "clusterRoleSelectors")) {
      for (const json::Value& entry : *list) {
        if (auto selector = k8s::LabelSelector::from(&entry)) selectors.push_back(std::move(*selector));
      }
    }
  }
  std::vector<const json::Value*> sources;
  for (const json::Value& source : roles) {
    if (!source.is_object()) continue;
    const json::Value* metadata = json::find(source, "metadata");
    const json::Value* labels = metadata == nullptr ? nullptr : json::find(*metadata, "labels");
    const k8s::StringMap map(labels != nullptr && labels->is_object() ? &labels->get_object() : nullptr);
    if (std::ranges::any_of(selectors, [&](const auto& selector) { return selector.matches(map); })) {
      sources.push_back(&source);
    }
  }
  const auto name = [](const json::Value* source) { return text(*json::find(*source, "metadata"), "name"); };
  std::ranges::sort(sources, {}, name);
  json::Array rules;
  const std::string_view own_name = name(&role);
  for (const json::Value* source : sources) {
    if (name(source) == own_name) continue;
    const json::Array* list = find_list(*source, "rules");
    if (list == nullptr) continue;
    for (const json::Value& rule : *list) {
      if (std::ranges::find(rules, rule) == rules.end()) rules.push_back(rule);
    }
  }
  return rules;
}

std::vector<std::size_t> aggregate(std::vector<json::Value>& roles) {
  constexpr int most_rounds = 10;
  std::set<std::size_t> changed;
  bool goes_on = true;
  for (int round = 0; goes_on && round < most_rounds; ++round) {
    goes_on = false;
    for (std::size_t i = 0; i < roles.size(); ++i) {
      const json::Value* rule = json::find(roles[i], "aggregationRule");
      if (rule == nullptr || !rule->is_object() || text(roles[i], "kind") != "ClusterRole") continue;
      json::Array rules = aggregated_rules(roles[i], roles);
      const json::Array* now = find_list(roles[i], "rules");
      if (now != nullptr ? *now == rules : rules.empty()) continue;
      roles[i].get_object()["rules"] = std::move(rules);
      changed.insert(i);
      goes_on = true;
    }
  }
  return {changed.begin(), changed.end()};
}

}  // namespace fairway::apiserver::access
