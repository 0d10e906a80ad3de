// SPDX-License-Identifier: Apache-2.0

#include "conversion/internal/migration/stored_list.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace fairway::conversion {

namespace {

/// The versions that are served, the preferred one of the server first.
std::vector<std::string> served_versions(const k8s::CustomResourceDefinition& definition) {
  std::vector<std::string> served;
  for (std::string& version : definition.versions_by_priority()) {
    const auto versions = definition.versions();
    const auto found = std::ranges::find_if(versions, [&](const auto& one) { return one.name() == version; });
    if (found != versions.end() && found->served()) served.push_back(std::move(version));
  }
  return served;
}

/// Moves a version to the front of `versions`, if it is one of them.
void prefer(std::vector<std::string>& versions, std::string_view version) {
  const auto found = std::ranges::find(versions, version);
  if (found != versions.end()) std::rotate(versions.begin(), found, found + 1);
}

}  // namespace

std::optional<k8s::GroupVersionResource> resource_to_write(const k8s::CustomResourceDefinition& definition,
                                                           const MigrationRequest& request) {
  std::vector<std::string> versions = served_versions(definition);
  if (versions.empty()) return std::nullopt;
  prefer(versions, request.new_version);
  return k8s::GroupVersionResource{std::string(definition.group()), std::move(versions.front()),
                                   std::string(definition.plural())};
}

StoredList list_of_stored(const k8s::CustomResourceDefinition& definition, const MigrationRequest& request,
                          const MigrationPace& pace) {
  StoredList list{.group = std::string(definition.group()),
                  .plural = std::string(definition.plural()),
                  .versions = served_versions(definition),
                  .namespaced = definition.scope() == k8s::Scope::namespaced,
                  .namespace_name = request.namespace_name,
                  .labels = request.labels,
                  .page_size = pace.page_size,
                  .attempts = pace.attempts};
  // The versions that may be stored come before those that are served only, and the version to leave first.
  prefer(list.versions, request.new_version);
  for (const std::string_view stored : definition.stored_versions()) {
    if (stored != request.new_version) prefer(list.versions, stored);
  }
  if (request.old_version != request.new_version) prefer(list.versions, request.old_version);
  return list;
}

}  // namespace fairway::conversion
