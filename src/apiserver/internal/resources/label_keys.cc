// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/resources/label_keys.h"

#include <string>
#include <string_view>

#include "base/json.h"

namespace fairway::apiserver::resources {
namespace {

/// Adds labels to the selector of a term; without a selector, it selects nothing.
void add_to(k8s::Editor term, const json::Object& labels) {
  constexpr std::string_view selector = "labelSelector", expressions = "labelSelector.matchExpressions";
  if (!term.has(selector)) return;
  const auto add = [&](std::string_view list, std::string_view op) {
    json::Array added;
    for (const std::string_view key : term.texts(list)) {
      const json::Value* value = labels.if_contains(key);
      if (value != nullptr)
        added.push_back(json::Object{{"key", key}, {"operator", op}, {"values", json::Array{*value}}});
    }
    if (added.empty()) return;
    json::Array& all = term.array(expressions);
    all.insert(all.end(), added.begin(), added.end());
  };
  add("matchLabelKeys", "In");
  add("mismatchLabelKeys", "NotIn");
}

}  // namespace

void add_label_keys(k8s::Dynamic& pod) {
  const json::Value* found = pod.find("metadata.labels");
  if (found == nullptr || !found->is_object()) return;
  const json::Object labels = found->get_object();
  for (k8s::Editor constraint : pod.edit_items("spec.topologySpreadConstraints")) add_to(constraint, labels);
  for (const std::string_view affinity : {"spec.affinity.podAffinity", "spec.affinity.podAntiAffinity"}) {
    if (!pod.has(affinity)) continue;
    const std::string path(affinity);
    for (k8s::Editor term : pod.edit_items(path + ".requiredDuringSchedulingIgnoredDuringExecution"))
      add_to(term, labels);
    for (k8s::Editor term : pod.edit_items(path + ".preferredDuringSchedulingIgnoredDuringExecution")) {
      if (term.has("podAffinityTerm")) add_to(term.edit("podAffinityTerm"), labels);
    }
  }
}

}  // namespace fairway::apiserver::resources
