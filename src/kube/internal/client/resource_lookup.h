// Finds kinds and resources in what a server has said that it serves.
#pragma once

#include <string_view>

#include "k8s/api_resource.h"
#include "kube/client/discovery.h"

namespace fairway::kube {

/// Of a stale version counts what was known earlier, and not what the server sends of it.
///
/// Errors of all three: `not_found`: the server does not serve it. `unavailable`: it may, but the version,
/// or any of the versions, that may have it is stale. `conflict`: several resources fit; they are named.
Result<k8s::ApiResource> find_kind(const ServedResources& served, const k8s::GroupVersionKind& kind);
/// In the first version of the group's order that has it and is not stale, or else the first stale one.
Result<k8s::ApiResource> find_kind(const ServedResources& served, const k8s::GroupKind& kind);
/// `invalid`: it is no name.
Result<k8s::ApiResource> find_name(const ServedResources& served, std::string_view name);

}  // namespace fairway::kube
