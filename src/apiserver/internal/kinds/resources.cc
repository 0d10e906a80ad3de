// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/kinds/resources.h"

#include <algorithm>
#include <stdexcept>

#include "base/text.h"
#include "resources.txt.h"

namespace fairway::apiserver::kinds {

namespace {

std::vector<std::string> names_of(std::string_view list) {
  std::vector<std::string> names;
  for (const std::string_view name : split(list, ',')) names.emplace_back(name);
  return names;
}

/// Returns the kind that a text names: "Deployment" of `group_version`, or "autoscaling/v1.Scale".
k8s::GroupVersionKind kind_of(std::string_view text, const k8s::GroupVersion& group_version) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return {group_version.group, group_version.version, std::string(text)};
  const std::size_t dot = text.find('.', slash);
  return {std::string(text.substr(0, slash)), std::string(text.substr(slash + 1, dot - slash - 1)),
          std::string(text.substr(dot + 1))};
}

k8s::GroupVersionResource storage_of(const BuiltInResource& resource) {
  k8s::GroupVersionResource own = resource.resource();
  if (own.group == "events.k8s.io") return {"", "v1", own.resource};
  if (own.group == "autoscaling") return {own.group, "v2", own.resource};
  return own;
}

std::vector<BuiltInResource> read() {
  std::vector<BuiltInResource> all;
  k8s::GroupVersion group_version;
  for (const std::string_view line : split(resources_text, '\n')) {
    if (line.empty()) continue;
    const auto words = split(line, ' ');
    if (words[0] == "group") {
      group_version = {words[1] == "-" ? std::string() : std::string(words[1]), std::string(words[2])};
      continue;
    }
    const auto value = [&](std::string_view key) {
      for (const std::string_view word : words) {
        if (word.starts_with(key) && word.substr(key.size()).starts_with('='))
          return word.substr(key.size() + 1);
      }
      return std::string_view{};
    };
    if (words[0] == "sub") {
      all.back().subresources.push_back({.name = std::string(words[1]),
                                         .kind = kind_of(words[2], group_version),
                                         .verbs = names_of(value("verbs"))});
      continue;
    }
    BuiltInResource& resource = all.emplace_back();
    resource.plural = words.at(1);
    if (words.at(2) != "-") resource.singular = words.at(2);
    resource.kind = kind_of(words.at(3), group_version);
    resource.list_kind = resource.kind.kind + "List";
    resource.scope = words.at(4) == "namespaced" ? k8s::Scope::namespaced : k8s::Scope::cluster;
    resource.verbs = names_of(value("verbs"));
    if (!value("short").empty()) resource.short_names = names_of(value("short"));
    if (!value("categories").empty()) resource.categories = names_of(value("categories"));
    resource.storage_version_hash = value("hash");
    resource.storage = storage_of(resource);
  }
  return all;
}

}  // namespace

const BuiltInSubresource* BuiltInResource::subresource(std::string_view name) const {
  const auto found = std::ranges::find(subresources, name, &BuiltInSubresource::name);
  return found != subresources.end() ? &*found : nullptr;
}

const std::vector<BuiltInResource>& built_in_resources() {
  static const std::vector<BuiltInResource> all = read();
  return all;
}

const BuiltInResource* find_built_in(const k8s::GroupVersionResource& resource) {
  const auto& all = built_in_resources();
  const auto found = std::ranges::find(all, resource, &BuiltInResource::resource);
  return found != all.end() ? &*found : nullptr;
}

const BuiltInResource* find_built_in(const k8s::GroupVersionKind& kind) {
  const auto& all = built_in_resources();
  const auto found = std::ranges::find(all, kind, &BuiltInResource::kind);
  return found != all.end() ? &*found : nullptr;
}

}  // namespace fairway::apiserver::kinds
