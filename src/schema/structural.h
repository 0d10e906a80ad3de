// SPDX-License-Identifier: Apache-2.0

// Validation of schemas: structural schemas and their defaults.
#pragma once

#include <string_view>

#include "base/json.h"
#include "schema/problem.h"

namespace fairway::schema {

/// Returns the reasons why a schema is not structural, sorted, as in the condition NonStructuralSchema.
/// `path` is the path of the schema: "spec.versions[0].schema.openAPIV3Schema". An unsupported keyword ($ref)
/// is then the only problem. Rules: k8s.io/apiextensions-apiserver/pkg/apiserver/schema.
Violations check_structural(const json::Object& schema, std::string_view path);

/// All problems for which the API server rejects the schema of a definition, except those of CEL expressions:
/// it must be structural, defaults must be valid and pruned, and keywords must have allowed values. Rules:
/// k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation.
Violations check_definition_schema(const json::Object& schema, std::string_view path);

}  // namespace fairway::schema
