// SPDX-License-Identifier: Apache-2.0

// Bytes as a file that the kernel can send without copying them.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "base/file_descriptor.h"

namespace fairway::http {

/// A sealed, anonymous file in memory: sendfile(2) hands its pages to a socket without copying, and they
/// cannot change, however long the peer takes to read them.
class MemoryFile {
 public:
  /// Smallest size for a file: smaller bodies are sent faster by copying them.
  static constexpr std::size_t least_bytes = 16 * 1024;

  /// Makes a file with these bytes; null if the system cannot provide one (no descriptor, no memory).
  static std::shared_ptr<const MemoryFile> make(std::string_view bytes);

  int descriptor() const { return file_.get(); }

 private:
  FileDescriptor file_;
};

}  // namespace fairway::http
