// SPDX-License-Identifier: Apache-2.0

#include "base/named_file.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <string>

#include "base/file.h"
#include "base/file_descriptor.h"
#include "base/text.h"

namespace fairway {

namespace {

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

/// Follows symbolic links to the name that no link has, whether a file is there or not; std::nullopt: they
/// lead to an open file.
Result<std::optional<std::filesystem::path>> follow_links(const std::filesystem::path& path) {
  constexpr int most_links = 40;  // as the kernel's limit
  std::filesystem::path at = path;
  for (int links = 0; links <= most_links; ++links) {
    struct stat status{};
    if (::lstat(at.c_str(), &status) != 0) {
      if (errno == ENOENT) return at;
      return failure(path, errno, "name a file in a folder that you may enter");
    }
    if (!S_ISLNK(status.st_mode)) return at;
    if (is_link_of_proc(at)) return std::nullopt;
    std::error_code error;
    const std::filesystem::path target = std::filesystem::read_symlink(at, error);
    if (error) return failure(path, error.value(), "remove the link, or name another file");
    at = at.parent_path() / target;  // an absolute target replaces the folder
  }
  return failure(path, ELOOP, "remove the link, or name another file");
}

Result<void> write_in_place(const std::filesystem::path& path, std::string_view bytes) {
  constexpr const char* advice = "name another file, or one that may be written to";
  // Without O_CREAT: what is not there any more was no device. O_TRUNC has no effect on one.
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC));
  if (file.get() < 0) return failure(path, errno, advice);
  while (!bytes.empty()) {
    const ssize_t count = ::write(file.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failure(path, errno, advice);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

}  // namespace

Result<void> write_named_file(const std::filesystem::path& path, std::string_view bytes) {
  struct stat status{};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) return write_in_place(path, bytes);
  const auto target = follow_links(path);
  if (!target) return fail(target.error());
  return *target ? write_file_atomically(**target, bytes) : write_in_place(path, bytes);
}

}  // namespace fairway
