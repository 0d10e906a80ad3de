// The built-in resources.
#pragma once

#include <vector>

#include "apiserver/internal/resources/served_resource.h"

namespace fairway::apiserver {

/// All built-in resources that are stored (`kinds/resources.h`), with the rules of kube-apiserver 1.36 for
/// each. Nothing runs here, so subresources that need a kubelet (logs, exec, proxies) are not served.
std::vector<ServedResource> stored_built_in_resources();

/// Those of authentication.k8s.io and authorization.k8s.io, and Bindings: created, answered, and never stored
/// (`storage` is empty). They are in no registry, so that nothing can take their place.
const std::vector<ServedResourcePtr>& built_in_reviews();
/// Null if it is none.
ServedResourcePtr find_review(const k8s::GroupVersionResource& resource);

}  // namespace fairway::apiserver
