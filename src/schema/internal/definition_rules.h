// SPDX-License-Identifier: Apache-2.0

// The parts of `check_definition_schema`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "schema/problem.h"

namespace fairway::schema::internal {

/// The first keyword that structural schemas do not have, in the API server's words.
std::optional<std::string> find_unsupported_keyword(const json::Object& schema);
/// Returns the defaults that are not valid, or not pruned. The schema is structural.
Violations check_defaults(const json::Object& schema, std::string_view path);
/// Checks the values of each keyword, and the other keywords beside it.
Violations check_keywords(const json::Object& schema, std::string_view path);

}  // namespace fairway::schema::internal
