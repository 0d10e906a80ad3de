// SPDX-License-Identifier: Apache-2.0

// Changes of a Pod by the subresources that write a part of its spec: which of them are allowed.
#pragma once

#include <string_view>
#include <vector>

#include "k8s/view.h"
#include "k8s/wire/field_error.h"

namespace fairway::apiserver::validation {

/// Returns the reason why a Pod takes no resize, or no ephemeral containers, at all; empty: it does.
std::string_view refusal_of_part(const k8s::View& pod, bool is_resize);
/// Returns the problems of a Pod whose ephemeral containers have changed: they may only become more. Rules:
/// ValidatePodEphemeralContainersUpdate of k8s.io/kubernetes/pkg/apis/core/validation. The message about a
/// change ends before the list of differences that Kubernetes prints in Go's form.
std::vector<k8s::FieldError> check_ephemeral_containers(const k8s::View& pod, const k8s::View& old);
/// Returns the problems of a Pod whose resources have changed: only processor and memory may change, none may
/// be taken away, and the class of service stays. `lost_class`: the class that it had, if it has another one
/// now; else empty. Rules: ValidatePodResize beside it.
std::vector<k8s::FieldError> check_resize(const k8s::View& pod, const k8s::View& old,
                                          std::string_view lost_class);

}  // namespace fairway::apiserver::validation
