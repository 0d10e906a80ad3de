// JSON of others on which something depends: each object has each of its keys once.
#pragma once

#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace fairway::json {

/// As `parse`, but a key that stands twice in one object is an error, which names it and the place. Of two
/// values for one key some readers take the first, others the last: who decides by one of them may decide
/// wrongly.
Result<Value> parse_unambiguous(std::string_view text, const Storage& storage = {});

}  // namespace fairway::json
