// SPDX-License-Identifier: Apache-2.0

#include "http/internal/memory_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

namespace fairway::http {

std::shared_ptr<const MemoryFile> MemoryFile::make(std::string_view bytes) {
  auto result = std::make_shared<MemoryFile>();
  result->file_ = FileDescriptor(::memfd_create("fairway-body", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!result->file_) return nullptr;
  while (!bytes.empty()) {
    const ssize_t written = ::write(result->file_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return nullptr;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fcntl(result->file_.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) !=
      0) {
    return nullptr;
  }
  return result;
}

}  // namespace fairway::http
