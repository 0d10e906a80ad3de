// Values against compiled schemas.
#pragma once

#include <string_view>

#include "base/json.h"
#include "schema/internal/node.h"
#include "schema/problem.h"

namespace fairway::schema::internal {

/// What a required member is that is absent.
enum class Missing { is_a_problem, may_have_default };

bool is_valid(const Node& node, const json::Value& value, Missing missing);
/// Every problem once.
Problems find_problems(const Node& node, const json::Value& value, std::string_view prefix);

}  // namespace fairway::schema::internal
