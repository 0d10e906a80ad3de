// SPDX-License-Identifier: Apache-2.0

#include "base/named_file.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <string>
#include <system_error>

#include "base/file.h"
#include "base/file_descriptor.h"
#include "base/text.h"

namespace fairway {

namespace {

constexpr const char* other_file = "name another file, or one that may be written to";
/// Longest wait for the reader of a pipe.
constexpr std::chrono::seconds longest_wait{10};

std::unexpected<Error> failure(const std::filesystem::path& path, int error, std::string_view advice) {
  const ErrorCode code = error == ENOENT || error == ENOTDIR ? ErrorCode::not_found
                         : error == EACCES || error == EPERM ? ErrorCode::forbidden
                                                             : ErrorCode::unavailable;
  return fail(code, "writing " + printable(path.string(), 4096) + ": " + std::strerror(error) + "; " +
                        std::string(advice));
}

/// Returns whether a link lies in /proc. Those lead to open files, which have no name that could be replaced.
bool is_link_of_proc(const std::filesystem::path& link) {
  const std::filesystem::path folder = link.has_parent_path() ? link.parent_path() : ".";
  struct statfs system{};
  return ::statfs(folder.c_str(), &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

/// Place that the bytes go to.
struct Place {
  enum class Kind { regular, special, open_file } kind;
  std::filesystem::path path;
};

/// Returns whether somebody else may have put a link into a folder where everybody may: the rule of the
/// kernel's protected_symlinks, which not every machine has switched on.
bool is_planted(const std::filesystem::path& link, const struct stat& status) {
  const std::filesystem::path folder = link.has_parent_path() ? link.parent_path() : ".";
  struct stat around{};
  if (::stat(folder.c_str(), &around) != 0) return true;
  const bool is_shared = (around.st_mode & S_ISVTX) != 0 && (around.st_mode & S_IWOTH) != 0;
  return is_shared && status.st_uid != ::geteuid() && status.st_uid != around.st_uid;
}

/// Follows symbolic links to the name that no link has, whether a file is there or not, or to one of /proc.
Result<Place> place_of(const std::filesystem::path& path) {
  constexpr int most_links = 40;  // as the kernel's limit
  std::filesystem::path at = path;
  for (int links = 0; links <= most_links; ++links) {
    struct stat status{};
    if (::lstat(at.c_str(), &status) != 0) {
      if (errno == ENOENT) return Place{Place::Kind::regular, at};
      return failure(path, errno, "name a file in a folder that you may enter");
    }
    if (S_ISDIR(status.st_mode)) return failure(path, EISDIR, other_file);
    if (S_ISREG(status.st_mode)) return Place{Place::Kind::regular, at};
    if (!S_ISLNK(status.st_mode)) return Place{Place::Kind::special, at};
    if (is_link_of_proc(at)) return Place{Place::Kind::open_file, at};
    if (is_planted(at, status))
      return failure(path, EACCES, "another user made this link, in a folder for all; name another file");
    std::error_code error;
    const std::filesystem::path target = std::filesystem::read_symlink(at, error);
    if (error) return failure(path, error.value(), "remove the link, or name another file");
    at = at.parent_path() / target;  // an absolute target replaces the folder
  }
  return failure(path, ELOOP, "remove the link, or name another file");
}

/// Writes to a descriptor, and waits for a reader who is slow, but not for ever.
Result<void> write_all(const std::filesystem::path& path, int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return failure(path, errno, other_file);
    pollfd room{.fd = file, .events = POLLOUT, .revents = 0};
    if (::poll(&room, 1, static_cast<int>(std::chrono::milliseconds(longest_wait).count())) == 0)
      return failure(path, ETIMEDOUT, "what is at the other end does not read");
  }
  return {};
}

/// Writes to a device or a pipe. A pipe of another user is refused: who made it can read it.
Result<void> write_special(const std::filesystem::path& path, const std::filesystem::path& place,
                           std::string_view bytes) {
  constexpr int flags = O_WRONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC;
  struct stat status{};
  if (::lstat(place.c_str(), &status) != 0) return failure(path, errno, other_file);
  const auto until = std::chrono::steady_clock::now() + longest_wait;
  FileDescriptor file(::open(place.c_str(), flags));
  // A pipe has no reader yet.
  while (file.get() < 0 && errno == ENXIO && S_ISFIFO(status.st_mode) &&
         std::chrono::steady_clock::now() < until) {
    ::poll(nullptr, 0, 20);
    file = FileDescriptor(::open(place.c_str(), flags));
  }
  if (file.get() < 0) {
    return failure(path, errno,
                   errno == ENXIO ? std::string_view("let a program read it, or name another file")
                                  : std::string_view(other_file));
  }
  if (::fstat(file.get(), &status) != 0) return failure(path, errno, other_file);
  if (S_ISREG(status.st_mode)) return failure(path, EEXIST, "it has become another file meanwhile");
  if (S_ISFIFO(status.st_mode) && status.st_uid != ::geteuid())
    return failure(path, EACCES, "another user made this pipe, and can read it; name another file");
  return write_all(path, file.get(), bytes);
}

/// Writes to what a link of /proc leads to. For a file that this process has open, the bytes come behind
/// those that it has written there; of another nothing is lost.
Result<void> write_open_file(const std::filesystem::path& path, const std::filesystem::path& link,
                             std::string_view bytes) {
  struct stat there{}, own{};
  const std::string name = link.filename();
  int number = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error == std::errc() && end == name.data() + name.size() && ::fstat(number, &own) == 0 &&
      ::stat(link.c_str(), &there) == 0 && own.st_dev == there.st_dev && own.st_ino == there.st_ino)
    return write_all(path, number, bytes);
  const FileDescriptor file(::open(link.c_str(), O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC));
  if (file.get() < 0) return failure(path, errno, other_file);
  return write_all(path, file.get(), bytes);
}

}  // namespace

Result<void> write_named_file(const std::filesystem::path& path, std::string_view bytes) {
  const auto place = place_of(path);
  if (!place) return fail(place.error());
  switch (place->kind) {
    case Place::Kind::regular:
      return write_file_atomically(place->path, bytes);
    case Place::Kind::special:
      return write_special(path, place->path, bytes);
    case Place::Kind::open_file:
      break;
  }
  return write_open_file(path, place->path, bytes);
}

}  // namespace fairway
