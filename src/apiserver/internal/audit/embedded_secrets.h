// SPDX-License-Identifier: Apache-2.0

// Secrets within other objects.
#pragma once

#include <string_view>

#include "base/json.h"

namespace fairway::apiserver::audit {

/// The annotation in which kubectl keeps the whole object that it applied.
inline constexpr std::string_view last_applied = "kubectl.kubernetes.io/last-applied-configuration";

/// Returns whether a document contains a Secret, a token or a certificate request, or a list of them: a
/// member `kind` that names one beside more than a reference has, or `stringData` with members. Names and
/// kinds count in any letter case. The root is looked at, too.
bool holds_secret(const json::Value& value);

/// Removes every member `last_applied`, at any depth. Returns whether there was one.
bool remove_last_applied(json::Value& value);

}  // namespace fairway::apiserver::audit
