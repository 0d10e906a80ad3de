// SPDX-License-Identifier: Apache-2.0

// The rule by which the update service has the console.
#pragma once

#include <string_view>

#include "updateservice/internal/serving_state.h"
#include "updateservice/service.h"

namespace fairway::updateservice {

/// Returns whether only this machine reaches an address to listen on: "127.0.0.1:8080", "[::1]:0",
/// "localhost:8080", but not ":8080", which is every address.
bool listens_on_loopback(std::string_view listen);

/// Returns whether a host is this machine for who asks from it: localhost, or an address of loopback.
bool is_loopback_host(std::string_view host);

/// Returns the switch of the console. It follows the rules for private channels that are served now, which a
/// reload may change; before anything is served, their file decides. `serving` must outlive it.
std::function<bool()> console_switch(const ServiceOptions& options, const ServingState& serving);

}  // namespace fairway::updateservice
