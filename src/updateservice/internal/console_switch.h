// SPDX-License-Identifier: Apache-2.0

// The rule by which the update service has the console.
#pragma once

#include <functional>

#include "updateservice/internal/serving_state.h"
#include "updateservice/service.h"

namespace fairway::updateservice {

/// Returns the switch of the console. It follows the rules for private channels that are served now, which a
/// reload may change; before anything is served, their file decides. `serving` must outlive it.
std::function<bool()> console_switch(const ServiceOptions& options, const ServingState& serving);

}  // namespace fairway::updateservice
