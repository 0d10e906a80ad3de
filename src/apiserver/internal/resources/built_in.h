// SPDX-License-Identifier: Apache-2.0

// The built-in resources.
#pragma once

#include <vector>

#include "apiserver/internal/resources/served_resource.h"

namespace fairway::apiserver::resources {

/// Returns all built-in resources that are stored (`kinds/resources.h`), with the rules of kube-apiserver
/// 1.37 for each. No containers run here, so subresources that need a kubelet (exec, proxies) are not served.
std::vector<ServedResource> stored_built_in_resources();

/// Returns the resources of authentication.k8s.io and authorization.k8s.io, and Bindings: they are created,
/// answered, and never stored (`storage` is empty). They are in no registry, so that nothing can replace
/// them.
const std::vector<ServedResourcePtr>& built_in_reviews();
/// Finds one of `built_in_reviews`; null: it is none.
ServedResourcePtr find_review(const k8s::GroupVersionResource& resource);

}  // namespace fairway::apiserver::resources
