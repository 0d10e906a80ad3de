// SPDX-License-Identifier: Apache-2.0

// Envoy's administration, on its socket of this machine.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace fairway::gateway {

/// Returns the body of the answer to "GET /stats", "POST /drain_listeners?graceful". Errors: `unavailable`,
/// there is no answer within the limit, or one whose status is not 200.
Result<std::string> ask_envoy(const std::filesystem::path& socket, std::string_view method,
                              std::string_view target, std::chrono::milliseconds limit);

/// Returns the number of client connections that Envoy has, without those of its administration. Errors: as
/// above.
Result<std::uint64_t> client_connections(const std::filesystem::path& socket,
                                         std::chrono::milliseconds limit);

}  // namespace fairway::gateway
