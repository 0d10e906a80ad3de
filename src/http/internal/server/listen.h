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
  std::vector<FileDescriptor>
      sockets;          ///< all bound to the same address; the kernel spreads connections over them
  std::string address;  ///< "127.0.0.1:43211"
  std::uint16_t port = 0;
};

/// Binds `count` sockets to "127.0.0.1:8080", "[::1]:0" or ":8080". An address that something listens on
/// already is an error, even where the kernel would share it.
Result<Listening> listen_on(std::string_view address, std::size_t count);

}  // namespace fairway::http
