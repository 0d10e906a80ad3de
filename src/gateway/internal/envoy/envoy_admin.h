// Envoy's administration, on its socket of this machine.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace fairway::gateway {

/// The body of the answer to "GET /stats", "POST /drain_listeners?graceful". Errors: `unavailable`, nobody
/// answers in time, or not with 200.
Result<std::string> ask_envoy(const std::filesystem::path& socket, std::string_view method,
                              std::string_view target, std::chrono::milliseconds limit);

/// How many connections of clients Envoy has, without those of its administration. Errors: those above.
Result<std::uint64_t> client_connections(const std::filesystem::path& socket,
                                         std::chrono::milliseconds limit);

}  // namespace fairway::gateway
