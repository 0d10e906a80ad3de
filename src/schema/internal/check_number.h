// SPDX-License-Identifier: Apache-2.0

// Numbers against the limits of a schema.
#pragma once

#include "base/json.h"
#include "schema/internal/node.h"
#include "schema/internal/place.h"
#include "schema/internal/report.h"

namespace fairway::schema::internal {

/// Returns whether Go's JSON reads a number as an integer: 1.0 is one, a number beyond 2^53 is none.
bool is_json_integer(double value);

/// Checks the limits on a number. False: one is broken; `report`, if it is given, says which.
bool check_number(const Node& node, const json::Value& value, const Place& place, Report* report);

}  // namespace fairway::schema::internal
