// SPDX-License-Identifier: Apache-2.0

// JSON values as structured-merge-diff compares and prints them.
#pragma once

#include <string>

#include "base/json.h"

namespace fairway::apiserver::apply::internal {

/// Returns whether two values are equal: the order of members does not matter, and 1 equals 1.0.
bool equal(const json::Value& a, const json::Value& b);
/// Compares two values by a total order: numbers, texts, booleans, lists, objects, null. Negative, 0 or
/// positive.
int compare(const json::Value& a, const json::Value& b);
/// Returns a value inside of a path for people: texts quoted, numbers plain.
std::string to_string(const json::Value& value);
/// Returns a value as Go's `%#v` prints it, as it is in the API server's messages.
std::string go_syntax(const json::Value& value);
/// Returns a value as Go's `%v` prints it.
std::string go_text(const json::Value& value);
/// Returns the Go type of a decoded value: "string", "map[string]interface {}".
std::string go_type(const json::Value& value);

}  // namespace fairway::apiserver::apply::internal
