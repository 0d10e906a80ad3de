// SPDX-License-Identifier: Apache-2.0

// The conditions that the server itself writes into the status of objects.
#pragma once

#include <string_view>

#include "base/clock.h"
#include "k8s/view.h"

namespace fairway::apiserver::objects {

/// Sets a condition of an object's status. Its time changes if its status does. Empty reasons and messages
/// are left out.
void set_status_condition(k8s::Editor& object, std::string_view type, bool is, std::string_view reason,
                          std::string_view message, WallTime now);

}  // namespace fairway::apiserver::objects
