// Equality of JSON values.
#pragma once

#include "base/json.h"

namespace fairway::k8s {

/// Equal values: the order of keys does not matter, and numbers are compared by value (1 equals 1.0).
bool equal(const json::Value& a, const json::Value& b);

/// Equal to the API server: a null member is the same as an absent one.
bool equal_as_kept(const json::Value& a, const json::Value& b);

}  // namespace fairway::k8s
