// SPDX-License-Identifier: Apache-2.0

// The paths of an OpenAPI document: what may be done with resources.
#pragma once

#include "apiserver/internal/openapi/dialect.h"
#include "apiserver/internal/openapi/schemas.h"
#include "apiserver/internal/resources/served_resource.h"
#include "base/json.h"

namespace fairway::apiserver::openapi {

/// Adds the paths of a resource and its subresources to `paths`, and the schemas that they refer to to
/// `schemas`.
void add_paths(Dialect dialect, const resources::ServedResource& resource, Schemas& schemas,
               json::Object& paths);

}  // namespace fairway::apiserver::openapi
