// SPDX-License-Identifier: Apache-2.0

// Names of users of Windows: `DOMAIN\USER`.
#pragma once

#include <string_view>

#include "k8s/names.h"

namespace fairway::apiserver::validation {

/// Checks the name of a user as whom a container of Windows runs.
k8s::Faults check_windows_user(std::string_view text);

}  // namespace fairway::apiserver::validation
