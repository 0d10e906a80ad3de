// SPDX-License-Identifier: Apache-2.0

// Values against compiled schemas.
#pragma once

#include <string_view>

#include "base/json.h"
#include "schema/internal/node.h"
#include "schema/problem.h"

namespace fairway::schema::internal {

/// The treatment of a required member that is absent.
enum class Missing { is_a_problem, may_have_default };

/// Returns whether the value is valid. `old` is the value that `value` replaces, or nullptr: values that are
/// invalid and unchanged are tolerated.
bool is_valid(const Node& node, const json::Value& value, const json::Value* old, Missing missing);
/// Returns every problem once.
Violations find_problems(const Node& node, const json::Value& value, const json::Value* old,
                         std::string_view prefix);

}  // namespace fairway::schema::internal
