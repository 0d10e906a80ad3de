// Whether a part of an object is as it was.
#pragma once

#include <string_view>

#include "base/json.h"
#include "k8s/view.h"

namespace fairway::apiserver {

/// Equal as Go's objects are: what is null or empty equals what is not there (apiequality.Semantic).
/// `nullptr` is absent.
bool same_value(const json::Value* a, const json::Value* b);
/// The same of what two objects have at a path.
bool same_at(const k8s::View& a, const k8s::View& b, std::string_view path);
/// A copy of what is at a path; null where there is nothing.
json::Value value_at(const k8s::View& object, std::string_view path);

}  // namespace fairway::apiserver
