// When two JSON values say the same.
#pragma once

#include "base/json.h"

namespace fairway::k8s {

/// The same value: the order of keys does not matter, and numbers are compared by value (1 is 1.0).
bool equal(const json::Value& a, const json::Value& b);

/// The same to the API server: a member that is null is one that is absent.
bool equal_as_kept(const json::Value& a, const json::Value& b);

}  // namespace fairway::k8s
