// The built-in resources.
#pragma once

#include <vector>

#include "apiserver/resources/internal/served_resource.h"

namespace fairway::apiserver {

/// All built-in resources that are stored (`kinds/resources.h`), with the rules of kube-apiserver 1.36 for
/// each. Nothing runs here, so subresources that need a kubelet (logs, exec, proxies) are not served.
std::vector<ServedResource> stored_built_in_resources();

}  // namespace fairway::apiserver
