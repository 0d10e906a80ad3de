// SPDX-License-Identifier: Apache-2.0

// The check of a request's Host header. A page of somebody else that has its own name lead to this machine
// (DNS rebinding) is of one origin with what answers there; but it cannot make the browser send another name
// than its own.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace fairway::console {

/// Returns whether the console answers to a Host header: to any IP address and to `localhost`, which nobody
/// can rebind, and to the names in `hosts` (without a port; letters in any case). The port is not compared.
bool accepts_host(std::string_view host, std::span<const std::string> hosts);

}  // namespace fairway::console
