// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/validation/pod_changes.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "apiserver/internal/validation/field_rules.h"
#include "k8s/equality.h"
#include "k8s/view.h"

namespace fairway::apiserver::validation {
namespace {

constexpr std::string_view node_terms =
    "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";

bool same(const json::Value* a, const json::Value* b) {
  return k8s::equal_with_null_as_absent(a, b);
}

/// Checks the containers of one list. Returns false if they cannot be compared.
bool check_containers(const Scope& spec, const Scope& old, std::string_view list) {
  if (spec.list(list).size() != old.list(list).size()) {
    spec.forbidden(list, "pod updates may not add or remove containers");
    return false;
  }
  constexpr std::string_view blanks = " \t\n\v\f\r";
  spec.each(list, [&](const Scope& container, std::size_t) {
    const std::string_view image = container.text("image");
    if (image.empty()) {
      container.required("image");
    } else if (blanks.find(image.front()) != std::string_view::npos ||
               blanks.find(image.back()) != std::string_view::npos) {
      container.invalid("image", json::Value(image), "must not have leading or trailing whitespace");
    }
  });
  return true;
}

/// Checks that the deadline comes no later. Returns false if the rest is not looked at.
bool check_deadline(const Scope& spec, const Scope& old) {
  constexpr std::string_view field = "activeDeadlineSeconds";
  const auto now = spec.integer(field), before = old.integer(field);
  if (now && (*now < 0 || *now > INT32_MAX)) {
    spec.invalid(field, json::Value(*now), "must be between 0 and 2147483647, inclusive");
    return false;
  }
  if (now && before && *before < *now) {
    spec.invalid(field, json::Value(*now), "must be less than or equal to previous value");
    return false;
  }
  if (!now && before)
    spec.invalid(field, json::Value(), "must not update from a positive integer to nil value");
  return true;
}

/// The fields of a toleration that do not change: all but its seconds.
using TolerationParts = std::array<std::string_view, 4>;
TolerationParts parts_of(const Scope& toleration) {
  return {toleration.text("key"), toleration.text("operator"), toleration.text("value"),
          toleration.text("effect")};
}

void check_tolerations(const Scope& spec, const Scope& old) {
  std::set<TolerationParts> now;
  spec.each("tolerations", [&](const Scope& one, std::size_t) { now.insert(parts_of(one)); });
  bool all_kept = true;
  old.each("tolerations",
           [&](const Scope& one, std::size_t) { all_kept = all_kept && now.contains(parts_of(one)); });
  if (!all_kept) {
    spec.forbidden("tolerations", "existing toleration can not be modified except its tolerationSeconds");
    return;
  }
  spec.each("tolerations", [](const Scope& one, std::size_t) { check_type("Toleration", one); });
}

void check_gates(const Scope& spec, const Scope& old) {
  std::map<std::string_view, std::size_t> added;
  spec.each("schedulingGates",
            [&](const Scope& gate, std::size_t index) { added[gate.text("name")] = index; });
  old.each("schedulingGates", [&](const Scope& gate, std::size_t) { added.erase(gate.text("name")); });
  const Path list = spec.path().child("schedulingGates");
  for (const auto& [name, index] : added) {
    const Path item = list.item(index);
    spec.other(spec.json(), item)
        .forbidden("name",
                   "only deletion is allowed, but found new scheduling gate '" + std::string(name) + "'");
  }
}

/// Checks that a selector has at least the labels that it had.
void check_node_selector(const Scope& spec, const Scope& old) {
  const k8s::StringMap now = spec.map("nodeSelector");
  for (const auto& [key, value] : old.map("nodeSelector")) {
    if (now.find(key) == std::optional(value)) continue;
    spec.invalid("nodeSelector", spec.value("nodeSelector"),
                 "only additions to spec.nodeSelector are allowed (no mutations or deletions)");
    return;
  }
}

/// Returns whether a list begins with all of another one.
bool begins_with(const json::Array& list, const json::Array& beginning) {
  return list.size() >= beginning.size() &&
         std::equal(beginning.begin(), beginning.end(), list.begin(),
                    [](const json::Value& a, const json::Value& b) { return k8s::equal(a, b); });
}

/// Checks that the terms for nodes only become stricter.
void check_node_terms(const Scope& spec, const Scope& old) {
  const auto terms_of = [](const Scope& of) {
    const json::Value* found = k8s::View(of.json()).find(node_terms);
    return found != nullptr && found->is_array() ? found->get_array() : json::Array();
  };
  const json::Array now = terms_of(spec), before = terms_of(old);
  if (before.empty()) return;
  if (before.size() != now.size()) {
    spec.invalid(node_terms, json::Value(now),
                 "no additions/deletions to non-empty NodeSelectorTerms list are allowed");
    return;
  }
  const Path list = spec.path().child(node_terms);
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (!now[i].is_object() || !before[i].is_object()) continue;
    const Scope term = spec.other(now[i].get_object(), list.item(i)),
                former = spec.other(before[i].get_object(), list);
    bool only_adds = true;
    bool was_empty = true, is_empty = true;
    for (const std::string_view part : {"matchExpressions", "matchFields"}) {
      was_empty = was_empty && former.list(part).empty();
      is_empty = is_empty && term.list(part).empty();
      only_adds = only_adds && begins_with(term.list(part), former.list(part));
    }
    if (!only_adds || (was_empty && !is_empty))
      term.invalid(".", now[i], "only additions are allowed (no mutations or deletions)");
  }
}

/// Returns a spec without what has been compared.
json::Value fixed_part(const json::Object& spec, bool was_gated) {
  json::Object fixed = spec;
  for (const std::string_view list : {"containers", "initContainers"}) {
    json::Value* containers = fixed.if_contains(list);
    if (containers == nullptr || !containers->is_array()) continue;
    for (json::Value& container : containers->get_array()) {
      if (container.is_object()) container.get_object().erase("image");
    }
  }
  for (const std::string_view field :
       {"activeDeadlineSeconds", "schedulingGates", "tolerations", "terminationGracePeriodSeconds"})
    fixed.erase(field);
  if (!was_gated) return json::Value(std::move(fixed));
  fixed.erase("nodeSelector");
  json::Value* affinity = fixed.if_contains("affinity");
  if (affinity != nullptr && affinity->is_object()) {
    affinity->get_object().erase("nodeAffinity");
    if (affinity->get_object().empty()) fixed.erase("affinity");
  }
  return json::Value(std::move(fixed));
}

}  // namespace

void check_pod_changes(const Scope& spec, const json::Object& old_spec) {
  const Scope old = spec.other(old_spec, spec.path());
  for (const std::string_view list : {"containers", "initContainers"}) {
    if (!check_containers(spec, old, list)) return;
  }
  if (!check_deadline(spec, old)) return;
  check_tolerations(spec, old);
  check_gates(spec, old);
  const bool was_gated = !old.list("schedulingGates").empty();
  if (was_gated) {
    check_node_selector(spec, old);
    const auto nodes_of = [](const Scope& of) { return k8s::View(of.json()).find("affinity.nodeAffinity"); };
    if (!same(nodes_of(spec), nodes_of(old))) check_node_terms(spec, old);
  }
  const json::Value now = fixed_part(spec.json(), was_gated), before = fixed_part(old_spec, was_gated);
  constexpr std::string_view grace = "terminationGracePeriodSeconds";
  const auto seconds = spec.integer(grace), seconds_before = old.integer(grace);
  const bool keeps_grace = seconds == seconds_before || (seconds == 1 && seconds_before < 0);
  if (same(&now, &before) && keeps_grace) return;
  spec.forbidden(
      ".",
      "pod updates may not change fields other than `spec.containers[*].image`,"
      "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to "
      "existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was "
      "previously negative)");
}

}  // namespace fairway::apiserver::validation
