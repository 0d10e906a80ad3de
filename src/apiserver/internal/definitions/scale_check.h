// SPDX-License-Identifier: Apache-2.0

// Checks of the values that the subresource `scale` of a custom resource shows.
#pragma once

#include "apiserver/internal/resources/served_resource.h"
#include "base/json.h"
#include "schema/problem.h"

namespace fairway::apiserver::definitions {

/// Checks the members that `scale` shows of the spec (replicas) or of the status (replicas and selector): no
/// write may store a value there that it cannot show. Absent members are valid.
/// Rules: k8s.io/apiextensions-apiserver/pkg/registry/customresource/validator.go.
schema::Violations check_scale_spec(const json::Object& object, const resources::ScalePaths& paths);
schema::Violations check_scale_status(const json::Object& object, const resources::ScalePaths& paths);

}  // namespace fairway::apiserver::definitions
