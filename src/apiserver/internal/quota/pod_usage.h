// SPDX-License-Identifier: Apache-2.0

// Usage of a Pod, as a ResourceQuota counts it.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "apiserver/internal/quota/amount.h"
#include "base/clock.h"
#include "k8s/view.h"

namespace fairway::apiserver::quota {

/// Returns whether a quota's resource of that name counts Pods: "pods", "limits.cpu",
/// "requests.example.com/gpu".
bool counts_pods(std::string_view name);

/// Returns the usage of a Pod at a time. One that has ended, or whose time to end has passed, is an object
/// and nothing else. Rules: k8s.io/kubernetes/pkg/quota/v1/evaluator/core and
/// k8s.io/component-helpers/resource.
Amounts pod_usage(const k8s::View& pod, WallTime now);

/// Returns the sum of what the containers of a Pod name in `list` ("requests" or "limits") of their
/// resources: init containers run one after the other before the others, and those that restart beside them.
/// Processor and memory that the Pod names as a whole take the place of the sum. LimitRanges bound this sum.
Amounts sum_of_pod(const k8s::View& pod, std::string_view list);

/// Returns what the containers of a Pod have to name, and do not: "must specify limits.cpu for: web". A quota
/// of processor or memory wants each container to say what it takes. std::nullopt: nothing is missing.
std::optional<std::string> missing_in_pod(const k8s::View& pod, const std::set<std::string>& required);

}  // namespace fairway::apiserver::quota
