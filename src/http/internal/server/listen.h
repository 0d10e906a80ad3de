// SPDX-License-Identifier: Apache-2.0

// Listening sockets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_descriptor.h"
#include "base/result.h"

namespace fairway::http {

struct Listening {
  std::vector<FileDescriptor> sockets;  ///< one socket, held as often as threads accept from it
  std::string address;                  ///< "127.0.0.1:43211"
  std::uint16_t port = 0;
};

/// Listens on "127.0.0.1:8080", "[::1]:0" or ":8080", with `count` descriptors of the one socket: it listens
/// until all are closed. Nobody else can listen there meanwhile, of the same user neither; an address that
/// somebody else listens on is an error.
Result<Listening> listen_on(std::string_view address, std::size_t count);

}  // namespace fairway::http
