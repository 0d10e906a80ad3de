// SPDX-License-Identifier: Apache-2.0

// Copying a member from one object to another.
#pragma once

#include <string_view>

#include "k8s/object.h"

namespace fairway::apiserver::resources {

/// Sets a member to that of another object; it is removed if it is absent there.
void take_over(k8s::Dynamic& object, const k8s::Dynamic& from, std::string_view path);

}  // namespace fairway::apiserver::resources
