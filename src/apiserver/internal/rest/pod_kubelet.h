// SPDX-License-Identifier: Apache-2.0

// The container that a request about a Pod is for, and the kubelet of the Pod's Node.
#pragma once

#include <string>
#include <string_view>

#include "http/url.h"
#include "k8s/object.h"
#include "k8s/status.h"

namespace fairway::apiserver::rest {

/// Returns the container that the request names, or the only one, or that of the annotation.
k8s::StatusResult<std::string> container_of(const k8s::Dynamic& pod, std::string_view asked);

/// Returns the URL of a Node's kubelet, in kube-apiserver's order of preferred addresses.
k8s::StatusResult<http::Url> kubelet_of(const k8s::Dynamic& node);

}  // namespace fairway::apiserver::rest
