// SPDX-License-Identifier: Apache-2.0

// Comparison of parts of objects, by the rules of Go.
#pragma once

#include <string_view>

#include "base/json.h"
#include "k8s/view.h"

namespace fairway::apiserver::resources {

/// Returns whether two values are equal as Go's objects are: null and empty values equal absent ones
/// (apiequality.Semantic). `nullptr` is absent.
bool same_value(const json::Value* a, const json::Value* b);
/// Returns whether two objects have the same value at a path.
bool same_at(const k8s::View& a, const k8s::View& b, std::string_view path);
/// Returns a copy of the value at a path; null if there is none.
json::Value value_at(const k8s::View& object, std::string_view path);

}  // namespace fairway::apiserver::resources
