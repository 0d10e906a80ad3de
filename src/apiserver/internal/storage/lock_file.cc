// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/storage/lock_file.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace fairway::apiserver::storage {

Result<LockFile> LockFile::take(const std::filesystem::path& file) {
  std::string path = file.string() + ".lock";
  FileDescriptor fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!fd) {
    return fail(errno == EACCES || errno == EROFS ? ErrorCode::forbidden : ErrorCode::unavailable,
                "opening " + path + ": " + std::strerror(errno) + "; check the permissions of the folder");
  }
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    char holder[32] = {};
    auto size = ::pread(fd.get(), holder, sizeof holder - 1, 0);
    std::string who =
        size > 0 ? "process " + std::string(holder, static_cast<std::size_t>(size)) : "another process";
    return fail(ErrorCode::unavailable,
                "opening " + file.string() + ": " + who + " uses it; stop it, or name another file");
  }
  // For that message only.
  auto id = std::to_string(::getpid());
  if (::ftruncate(fd.get(), 0) == 0) (void)!::pwrite(fd.get(), id.data(), id.size(), 0);
  return LockFile(std::move(fd));
}

}  // namespace fairway::apiserver::storage
