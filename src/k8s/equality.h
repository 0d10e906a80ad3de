// SPDX-License-Identifier: Apache-2.0

// Equality of JSON values.
#pragma once

#include <string_view>

#include "base/json.h"

namespace fairway::k8s {

class View;

/// Returns whether two values are equal: the order of keys does not matter, and numbers are compared by value
/// (1 equals 1.0). A null member differs from an absent one.
bool equal(const json::Value& a, const json::Value& b);

/// Compares as `equal` does, but a null member equals an absent one, as the API server keeps typed objects:
/// optional fields that are null are dropped there. Items of lists are never absent.
bool equal_with_null_as_absent(const json::Value& a, const json::Value& b);
/// Compares two results of `View::find`: nullptr is absent, and so equals null.
bool equal_with_null_as_absent(const json::Value* a, const json::Value* b);
/// Compares what two objects have at a path, such as "spec.signerName".
bool equal_with_null_as_absent(const View& a, const View& b, std::string_view path);

}  // namespace fairway::k8s
