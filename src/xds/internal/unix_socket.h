// The file of a Unix socket that is this user's alone.
#pragma once

#include <filesystem>
#include <string>

#include "base/file_descriptor.h"
#include "base/result.h"

namespace fairway::xds {

/// A socket that one process has, before it is bound and after.
struct OwnSocket {
  std::string address;  ///< as gRPC is told it
  FileDescriptor lock;  ///< held as long as the socket is served
};

/// Makes the folder of a socket, which nobody else may look into: there is no moment in which others can
/// connect. Of processes that begin at once, one gets the socket. Errors: `invalid` if the path is longer
/// than the kernel takes (107 bytes); `unavailable` if another process has the socket, or something else has
/// the name; those of `make_private_folder`.
Result<OwnSocket> prepare_socket(const std::filesystem::path& path);

/// Gives the socket the mode 0600, once it is there.
Result<void> close_for_others(const std::filesystem::path& path);

}  // namespace fairway::xds
