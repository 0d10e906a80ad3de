// SPDX-License-Identifier: Apache-2.0

// Addresses that only this machine reaches: by them the console is on by itself.
#pragma once

#include <string_view>

namespace fairway::console {

/// Returns whether only this machine reaches an address to listen on: "127.0.0.1:8080", "[::1]:0",
/// "localhost:8080", but not ":8080", which is every address.
bool listens_on_loopback(std::string_view listen);

/// Returns whether a host is this machine for who asks from it: localhost, or an address of loopback.
bool is_loopback_host(std::string_view host);

}  // namespace fairway::console
