// SPDX-License-Identifier: Apache-2.0

#include "adm/names.h"

#include <algorithm>
#include <set>
#include <utility>

#include "adm/internal/release_version.h"

namespace fairway::adm {

std::vector<std::string> update_names(const openshift::ClusterVersion& cluster) {
  std::set<std::string> versions;
  for (const openshift::ReleaseView& release : cluster.available_updates())
    versions.emplace(release.version());
  for (const openshift::ConditionalUpdate& update : cluster.conditional_updates())
    versions.emplace(update.release().version());
  std::vector<std::string> names(versions.begin(), versions.end());
  std::ranges::stable_sort(names, [](const auto& a, const auto& b) { return is_shown_before(a, b); });
  return names;
}

std::vector<std::string> channel_names(const openshift::ClusterVersion& cluster,
                                       const std::vector<openshift::Channel>& channels) {
  std::set<std::string> names;
  for (const std::string_view name : cluster.desired().channels()) names.emplace(name);
  for (const openshift::Channel& channel : channels) names.emplace(channel.name());
  return {names.begin(), names.end()};
}

std::vector<std::string> safe_names(std::vector<std::string> names) {
  const auto is_safe = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '+' || c == '-';
  };
  std::erase_if(names, [&](const std::string& name) {
    return name.empty() || name.front() == '-' || !std::ranges::all_of(name, is_safe);
  });
  return names;
}

}  // namespace fairway::adm
