// SPDX-License-Identifier: Apache-2.0

#include "xds/internal/unix_socket.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/percent_encoding.h"
#include "base/private_folder.h"
#include "base/text.h"

namespace fairway::xds {

namespace {

std::string doing(const std::filesystem::path& path) {
  return "listening for Envoys on " + printable(path.string(), 300) + ": ";
}

/// Returns whether a process listens on a socket.
Result<bool> is_served(const std::filesystem::path& path) {
  const FileDescriptor probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  if (probe.get() < 0) return fail(ErrorCode::unavailable, doing(path) + std::strerror(errno));
  if (::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return true;
  if (errno == ECONNREFUSED || errno == ENOENT) return false;
  return fail(ErrorCode::unavailable, doing(path) + std::strerror(errno));
}

std::unexpected<Error> taken(const std::filesystem::path& path) {
  return fail(ErrorCode::unavailable,
              doing(path) + "another process serves there; each controller needs a folder of its own");
}

/// Takes the lock beside a socket. It is released when its process ends, however that ends. Its file stays:
/// if it were removed, there could be two files of one name, each with a lock.
Result<FileDescriptor> lock(const std::filesystem::path& path) {
  FileDescriptor file(::open((path.native() + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
                             S_IRUSR | S_IWUSR));
  if (!file) return fail(ErrorCode::unavailable, doing(path) + "its lock: " + std::strerror(errno));
  if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) return file;
  if (errno == EWOULDBLOCK) return taken(path);
  return fail(ErrorCode::unavailable, doing(path) + "its lock: " + std::strerror(errno));
}

}  // namespace

Result<OwnSocket> prepare_socket(const std::filesystem::path& path) {
  constexpr std::size_t most = sizeof(sockaddr_un{}.sun_path) - 1;
  if (path.native().size() > most)
    return fail(ErrorCode::invalid, doing(path) + "the path has " + std::to_string(path.native().size()) +
                                        " bytes, and " + std::to_string(most) +
                                        " are the most that a Unix socket may have; choose a shorter folder");
  if (auto made = make_private_folder(path.parent_path()); !made) return fail(made.error());
  auto locked = lock(path);
  if (!locked) return fail(std::move(locked.error()));
  struct stat facts{};
  if (::lstat(path.c_str(), &facts) == 0) {
    if (!S_ISSOCK(facts.st_mode))
      return fail(ErrorCode::unavailable, doing(path) + "there is a file of that name that is no socket");
    const auto served = is_served(path);
    if (!served) return fail(served.error());
    if (*served) return taken(path);
  }
  // gRPC removes a socket that is left over, and reads the path as that of a URI.
  return OwnSocket{.address = "unix:" + percent_encode(path.string(), "/"), .lock = std::move(*locked)};
}

Result<void> close_for_others(const std::filesystem::path& path) {
  if (::chmod(path.c_str(), S_IRUSR | S_IWUSR) == 0) return {};
  return fail(ErrorCode::unavailable, doing(path) + std::strerror(errno));
}

}  // namespace fairway::xds
