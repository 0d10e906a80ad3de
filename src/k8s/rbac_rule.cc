// SPDX-License-Identifier: Apache-2.0

#include "k8s/rbac_rule.h"

#include <algorithm>

#include "k8s/internal/rbac_match.h"

namespace fairway::k8s {

namespace {

using internal::any_parent, internal::has, internal::has_path;
using Texts = std::vector<std::string>;

bool has_or_all(const Texts& texts, std::string_view text) {
  return has(texts, "*") || has(texts, text);
}

bool has_resource(const Texts& resources, std::string_view combined) {
  if (has_or_all(resources, combined)) return true;
  const std::string any = any_parent(combined);
  return !any.empty() && has(resources, any);
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

}  // namespace fairway::k8s
