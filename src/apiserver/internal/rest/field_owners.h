// SPDX-License-Identifier: Apache-2.0

// managedFields of what requests write.
#pragma once

#include <string>
#include <string_view>

#include "apiserver/internal/apply/field_manager.h"
#include "apiserver/internal/resources/served_resource.h"
#include "apiserver/internal/rest/call.h"
#include "base/clock.h"
#include "k8s/object.h"

namespace fairway::apiserver::rest {

/// Returns a resource as the field manager needs it, for requests to the object itself (no `subresource`) or
/// to a subresource. It refers to `resource`. `zero` is left empty. The fields that requests to an endpoint
/// cannot own: GetResetFields of the strategies in k8s.io/kubernetes/pkg/registry.
apply::ManagedKind managed_kind(const resources::ServedResource& resource, std::string_view subresource);
/// Returns the object that Go's JSON has for a kind without any field set; empty for custom resources.
json::Object zero_of(const resources::ServedResource& resource);

/// Gives `next` the managedFields with which it is stored. `manager` has changed `live` to it, or created it
/// (nullptr). Not for applies.
void record_owners(const resources::ServedResource& resource, std::string_view subresource,
                   const k8s::Dynamic* live, k8s::Dynamic& next, std::string_view manager, WallTime now);

/// Returns the manager of a request: its `fieldManager`, or else its User-Agent.
std::string manager_of(const Call& call, std::string_view field_manager);

}  // namespace fairway::apiserver::rest
