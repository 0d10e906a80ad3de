// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/discovery/discovery_documents.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "apiserver/internal/resources/built_in.h"
#include "k8s/version_priority.h"

namespace fairway::apiserver::discovery {
namespace {

/// Order of the groups, as in kube-apiserver; groups of custom resources follow by name.
constexpr std::array<std::string_view, 22> group_order{"",
                                                       "apiregistration.k8s.io",
                                                       "apps",
                                                       "events.k8s.io",
                                                       "authentication.k8s.io",
                                                       "authorization.k8s.io",
                                                       "autoscaling",
                                                       "batch",
                                                       "certificates.k8s.io",
                                                       "networking.k8s.io",
                                                       "policy",
                                                       "rbac.authorization.k8s.io",
                                                       "storage.k8s.io",
                                                       "admissionregistration.k8s.io",
                                                       "apiextensions.k8s.io",
                                                       "scheduling.k8s.io",
                                                       "coordination.k8s.io",
                                                       "node.k8s.io",
                                                       "discovery.k8s.io",
                                                       "resource.k8s.io",
                                                       "flowcontrol.apiserver.k8s.io",
                                                       "storagemigration.k8s.io"};

std::size_t place_of(std::string_view group) {
  return static_cast<std::size_t>(std::ranges::find(group_order, group) - group_order.begin());
}

k8s::DiscoveredResource described(const resources::ServedResource& resource) {
  k8s::DiscoveredResource made;
  made.name = resource.plural;
  made.response_kind = resource.kind;
  made.scope = resource.scope;
  made.singular = resource.singular;
  made.verbs = resource.verbs;
  made.short_names = resource.short_names;
  made.categories = resource.categories;
  for (const resources::Subresource& subresource : resource.subresources) {
    made.subresources.push_back({.name = subresource.name,
                                 .response_kind = subresource.kind,
                                 .accepted_kinds = {},
                                 .verbs = subresource.verbs});
  }
  made.storage_version_hash = resource.storage_version_hash;
  return made;
}

k8s::Discovery described(const std::vector<resources::ServedResourcePtr>& resources) {
  k8s::Discovery discovery;
  // They are in the order of group, version and plural.
  for (const resources::ServedResourcePtr& resource : resources) {
    const k8s::GroupVersionKind& kind = resource->kind;
    if (discovery.groups.empty() || discovery.groups.back().name != kind.group) {
      discovery.groups.push_back({.name = kind.group, .versions = {}});
    }
    auto& versions = discovery.groups.back().versions;
    if (versions.empty() || versions.back().version != kind.version) {
      versions.push_back({.version = kind.version, .resources = {}});
    }
    versions.back().resources.push_back(described(*resource));
  }
  for (k8s::DiscoveredGroup& group : discovery.groups) {
    std::ranges::sort(group.versions, [](const auto& a, const auto& b) {
      return k8s::compare_priority(a.version, b.version) > 0;
    });
  }
  std::ranges::stable_sort(discovery.groups, {}, [](const auto& group) { return place_of(group.name); });
  return discovery;
}

}  // namespace

std::shared_ptr<const k8s::Discovery> DiscoveryDocuments::current() {
  const std::scoped_lock lock(mutex_);
  const std::uint64_t generation = registry_.generation();
  if (made_ == nullptr || generation_ != generation) {
    std::vector<resources::ServedResourcePtr> all = registry_.all();
    all.insert(all.end(), resources::built_in_reviews().begin(), resources::built_in_reviews().end());
    std::ranges::stable_sort(
        all, {}, [](const resources::ServedResourcePtr& one) { return one->group_version_resource(); });
    made_ = std::make_shared<const k8s::Discovery>(described(all));
    generation_ = generation;
  }
  return made_;
}

}  // namespace fairway::apiserver::discovery
