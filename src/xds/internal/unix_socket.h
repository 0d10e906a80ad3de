// SPDX-License-Identifier: Apache-2.0

// The file of a Unix socket that is this user's alone.
#pragma once

#include <filesystem>
#include <string>

#include "base/file_descriptor.h"
#include "base/result.h"

namespace fairway::xds {

/// The lock and address of a socket that one process owns, before it is bound and after.
struct OwnSocket {
  std::string address;  ///< address in gRPC's notation
  FileDescriptor lock;  ///< held as long as the socket is served
};

/// Makes the folder of a socket, which only this user may access: at no moment can others connect. Of
/// processes that start at once, one gets the socket. Errors: `invalid` if the path is longer than the kernel
/// allows (107 bytes); `unavailable` if another process has the socket, or another file has the name; those
/// of `make_private_folder`.
Result<OwnSocket> prepare_socket(const std::filesystem::path& path);

/// Gives the socket the mode 0600, once it is there.
Result<void> close_for_others(const std::filesystem::path& path);

}  // namespace fairway::xds
