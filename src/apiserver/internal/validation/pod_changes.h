// SPDX-License-Identifier: Apache-2.0

// Changes of a Pod: which of them are allowed.
#pragma once

#include "apiserver/internal/validation/scope.h"
#include "base/json.h"

namespace fairway::apiserver::validation {

/// Reports changes of a Pod's spec that are not allowed. Rules: ValidatePodUpdate of
/// k8s.io/kubernetes/pkg/apis/core/validation. The message about other changes ends before the list of them
/// that Kubernetes prints in Go's form.
void check_pod_changes(const Scope& spec, const json::Object& old);

}  // namespace fairway::apiserver::validation
