// SPDX-License-Identifier: Apache-2.0

// A check that an object on a server still has the values that were written to it.
#pragma once

#include "base/json.h"

namespace fairway::webhook {

/// Returns whether all wanted values are there; the server or others may have added more to objects. Lists
/// are compared item by item, numbers by value. A member that Go leaves out of its JSON (null, false, "", [])
/// may be absent.
bool is_present(const json::Value& wanted, const json::Value& there);

}  // namespace fairway::webhook
