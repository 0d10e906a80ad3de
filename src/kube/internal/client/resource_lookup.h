// SPDX-License-Identifier: Apache-2.0

// Finds kinds and resources in what a server has said that it serves.
#pragma once

#include <string_view>

#include "k8s/api_resource.h"
#include "kube/client/discovery.h"

namespace fairway::kube {

/// Finds a kind. For a stale version, the resources that were known earlier count, not those that the server
/// sends.
///
/// Errors of all three functions: `not_found`: the server does not serve it. `unavailable`: it may, but the
/// version, or any of the versions, that may have it is stale. `conflict`: several resources match; the
/// message names them.
Result<k8s::ApiResource> find_kind(const ServedResources& served, const k8s::GroupVersionKind& kind);
/// Finds a kind in the first version, in the group's order, that has it and is not stale, or else in the
/// first stale one.
Result<k8s::ApiResource> find_kind(const ServedResources& served, const k8s::GroupKind& kind);
/// Finds a resource by name. `invalid`: the text is not a name.
Result<k8s::ApiResource> find_name(const ServedResources& served, std::string_view name);

}  // namespace fairway::kube
