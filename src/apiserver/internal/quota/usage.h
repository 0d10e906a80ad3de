// SPDX-License-Identifier: Apache-2.0

// Usage of an object, as a ResourceQuota counts it.
#pragma once

#include <string_view>

#include "apiserver/internal/quota/amount.h"
#include "apiserver/internal/resources/strategy.h"
#include "base/clock.h"
#include "k8s/group_version.h"
#include "k8s/view.h"

namespace fairway::apiserver::quota {

/// Returns whether quotas count objects of a resource at all. Events are not counted: a namespace is told by
/// them, also where it is full.
bool is_counted(const k8s::GroupResource& resource);

/// Returns whether a quota's resource of that name ("pods", "count/jobs.batch") counts objects of `resource`.
bool counts(std::string_view name, const k8s::GroupResource& resource);

/// Returns whether each object of `resource`, which the quota's resource of that name counts, is one of it,
/// whatever the object holds.
bool counts_each(std::string_view name, const k8s::GroupResource& resource);

/// Returns the usage of an object of `resource` at a time. Every object is counted as "count/RESOURCE.GROUP";
/// Pods, Services, PersistentVolumeClaims and ResourceClaims have more. Rules:
/// k8s.io/kubernetes/pkg/quota/v1/evaluator/core.
Amounts usage_of(const k8s::View& object, const k8s::GroupResource& resource, WallTime now);

/// Returns whether the scopes of a quota (`spec.scopes`, `spec.scopeSelector`) have an object of `resource`.
/// Without scopes a quota has all.
bool has_in_scope(const k8s::View& quota, const k8s::View& object, const k8s::GroupResource& resource);

/// Returns whether a write of that part may change the usage. `old` is null for a create.
bool may_change_usage(const k8s::View& object, const k8s::View* old, const k8s::GroupResource& resource,
                      resources::Part part);

}  // namespace fairway::apiserver::quota
