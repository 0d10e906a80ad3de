// SPDX-License-Identifier: Apache-2.0

// JSON from outside that decisions depend on: duplicate keys are refused.
#pragma once

#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace fairway::json {

/// Parses as `parse` does, but a duplicate key in one object is an error, which names the key and its
/// position. Some parsers take the first value of a duplicate key, others the last, so a decision based on
/// either may be wrong.
Result<Value> parse_unambiguous(std::string_view text, const Storage& storage = {});

}  // namespace fairway::json
