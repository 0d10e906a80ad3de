// SPDX-License-Identifier: Apache-2.0

// Validation of apiVersion, kind and metadata.
#pragma once

#include <string_view>

#include "base/json.h"
#include "schema/problem.h"

namespace fairway::schema {

/// Checks the apiVersion, kind and metadata of an object: apiVersion and kind are required; names, labels,
/// annotations, owner references and finalizers must be well-formed. A name is not required. Paths are
/// prefixed with `prefix`.
Violations check_headers(const json::Object& object, std::string_view prefix = {});

/// Checks the same of each embedded resource (x-kubernetes-embedded-resource) in an object.
Violations check_embedded_objects(const json::Object& object, const json::Object& schema,
                                  std::string_view prefix = {});

}  // namespace fairway::schema
