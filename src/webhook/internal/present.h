// Whether an object on a server still has what was written to it.
#pragma once

#include "base/json.h"

namespace fairway::webhook {

/// Returns whether everything that is wanted is there, beside whatever the server or others have added to
/// objects. Lists are compared item by item, numbers by value. A member that Go leaves out of what it writes
/// (null, false, "", []) may be absent.
bool is_present(const json::Value& wanted, const json::Value& there);

}  // namespace fairway::webhook
