// SPDX-License-Identifier: Apache-2.0

// Validation of the parts of a CustomResourceDefinition that each of its versions may have.
#pragma once

#include <string>

#include "base/json.h"
#include "schema/problem.h"

namespace fairway::apiserver::definitions {

/// Returns the problems of `openAPIV3Schema` in `validation`, a version's `schema`. `path` is that of
/// `validation`.
schema::Violations check_schema(const json::Value& validation, const std::string& path);
schema::Violations check_subresources(const json::Value& subresources, const std::string& path);
schema::Violations check_printer_columns(const json::Value& columns, const std::string& path);
/// Returns the problems of selectable fields. `validation`: the schema of the same version; nullptr if it has
/// none.
schema::Violations check_selectable_fields(const json::Value& fields, const json::Value* validation,
                                           const std::string& path);
/// Returns the problems of `deprecated` and `deprecationWarning` of a version.
schema::Violations check_deprecation(const json::Object& version, const std::string& path);

}  // namespace fairway::apiserver::definitions
