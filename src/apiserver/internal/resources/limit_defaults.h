// SPDX-License-Identifier: Apache-2.0

// Requests and limits of containers that name none, from the LimitRanges of their namespace.
#pragma once

#include "apiserver/internal/storage/storage.h"
#include "k8s/object.h"
#include "k8s/status.h"

namespace fairway::apiserver::resources {

/// Gives the containers and init containers of a Pod that is about to be created what the LimitRanges of its
/// namespace have for containers: `defaultRequest` for requests that they do not name, `default` for limits.
/// The annotation `kubernetes.io/limit-ranger` tells which. quota/limits.h has their bounds.
/// Errors: the Status of a failed read.
/// Rules: plugin/pkg/admission/limitranger of k8s.io/kubernetes.
k8s::StatusResult<void> take_limit_defaults(storage::Storage& storage, k8s::Dynamic& pod);

}  // namespace fairway::apiserver::resources
