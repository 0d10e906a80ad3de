// The file of a Unix socket that is this user's alone.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace fairway::xds {

/// Makes the folder of a socket, which nobody else may look into: there is no moment in which others can
/// connect. Returns the socket as gRPC is told it. Errors: `invalid` if the path is longer than the kernel
/// takes (107 bytes); `unavailable` if a process listens there already, or something else has the name; those
/// of `make_private_folder`.
Result<std::string> prepare_socket(const std::filesystem::path& path);

/// Gives the socket the mode 0600, once it is there.
Result<void> close_for_others(const std::filesystem::path& path);

}  // namespace fairway::xds
