// SPDX-License-Identifier: Apache-2.0

// Finds out which object a list cannot get past.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace fairway::conversion {

/// Tells whether a list that begins after this key still meets the object.
using MeetsObject = std::function<Result<bool>(const std::string& after)>;

/// Returns the key, "namespace/name" or "name", of the last object that lists cannot get past: the smallest
/// key after which `meets` is false. The object itself is never seen; the search goes by the order of keys,
/// byte by byte, with some six calls a byte. `with_namespace`: keys have two parts. `meets` must be true for
/// every key before the object, also for those of objects that could be read. Errors: those of `meets`;
/// `not_found` if the key has no end, as when other objects change meanwhile.
Result<std::string> find_last_unread_key(bool with_namespace, const MeetsObject& meets);

/// A continue token in the form of Kubernetes ("meta.k8s.io/v1"): the list goes on after the key at the
/// latest resourceVersion. `after` is relative to the list: without its namespace, if it is of one.
std::string continue_token_after(std::string_view after);
/// Returns the key in a token of that form; std::nullopt for any other.
std::optional<std::string> key_in_continue_token(std::string_view token);

}  // namespace fairway::conversion
