// SPDX-License-Identifier: Apache-2.0

// The annotation of client-side apply, which server-side apply by kubectl takes over from.
#pragma once

#include <optional>
#include <string_view>

#include "base/json.h"

namespace fairway::apiserver::apply::internal {

inline constexpr std::string_view last_applied_annotation =
    "kubectl.kubernetes.io/last-applied-configuration";

/// Returns the annotation of an object; std::nullopt if it has none or an empty one.
std::optional<std::string_view> last_applied_of(const json::Value& object);
/// Writes the applied `document` into the annotation of `object`. The annotation is removed if the
/// annotations would become too large.
void set_last_applied(json::Value& object, const json::Value& document);

}  // namespace fairway::apiserver::apply::internal
