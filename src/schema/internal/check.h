// Values against compiled schemas.
#pragma once

#include <string_view>

#include "base/json.h"
#include "schema/internal/node.h"
#include "schema/problem.h"

namespace fairway::schema::internal {

/// What a required member is that is absent.
enum class Missing { is_a_problem, may_have_default };

/// `old` is the value that `value` replaces, or nullptr: what is invalid and has not changed is tolerated.
bool is_valid(const Node& node, const json::Value& value, const json::Value* old, Missing missing);
/// Every problem once.
Violations find_problems(const Node& node, const json::Value& value, const json::Value* old,
                         std::string_view prefix);

}  // namespace fairway::schema::internal
