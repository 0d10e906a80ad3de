// SPDX-License-Identifier: Apache-2.0

// Validation of the CEL rules of a definition.
#pragma once

#include <string>

#include "base/json.h"
#include "schema/problem.h"

namespace fairway::validation_rules {

/// Returns the problems of all rules in `openAPIV3Schema`, which has no other problems and is at `path`:
/// expressions that do not fit the schema, that could cost too much by Kubernetes's estimate, or that
/// defaults do not satisfy.
/// Rules: ValidateCustomResourceDefinitionOpenAPISchema of
/// k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation.
schema::Violations check_rules(const json::Object& schema, const std::string& path);

}  // namespace fairway::validation_rules
