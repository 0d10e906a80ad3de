// SPDX-License-Identifier: Apache-2.0

// An error about an object as a cause that objects share.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "k8s/object.h"

namespace fairway::conversion {

/// Returns the message without the places in which API servers and Fairway's converters name the object:
/// `widgets.example.com "a" is invalid`, `Widget default/a: converting`; and without what Kubernetes says of
/// its place in the storage. Control characters are escaped, and it is cut at `limit` bytes.
std::string cause_of(const k8s::Key& key, std::string_view error, std::size_t limit);

}  // namespace fairway::conversion
