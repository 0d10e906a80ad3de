// SPDX-License-Identifier: Apache-2.0

#include "base/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/file_descriptor.h"
#include "base/text.h"

namespace fairway {

namespace {

ErrorCode code_of(int error) {
  if (error == ENOENT || error == ENOTDIR) return ErrorCode::not_found;
  if (error == EACCES || error == EPERM) return ErrorCode::forbidden;
  return ErrorCode::unavailable;
}

/// Returns a name as errors show it. Names come from graph data, too, and may hold control sequences of
/// terminals.
std::string shown(const std::filesystem::path& path) {
  return printable(path.string(), 4096);
}

std::unexpected<Error> system_failure(std::string_view doing, const std::filesystem::path& path) {
  const int error = errno;
  return fail(code_of(error), std::string(doing) + " " + shown(path) + ": " + std::strerror(error));
}

Result<void> sync_folder(const std::filesystem::path& folder) {
  const FileDescriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.get() < 0 || ::fsync(directory.get()) != 0) return system_failure("syncing folder", folder);
  return {};
}

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path, std::size_t limit) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return system_failure("reading", path);
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) return system_failure("reading", path);
  if (!S_ISREG(status.st_mode))
    return fail(ErrorCode::invalid, "reading " + shown(path) + ": it is not a regular file");
  std::string bytes;
  bytes.reserve(std::min(static_cast<std::size_t>(status.st_size), limit));
  char buffer[1 << 16];
  while (true) {
    const ssize_t count = ::read(file.get(), buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_failure("reading", path);
    if (count == 0) return bytes;
    if (bytes.size() + static_cast<std::size_t>(count) > limit) {
      return fail(ErrorCode::too_large,
                  "reading " + shown(path) + ": it is larger than " + std::to_string(limit) + " bytes");
    }
    bytes.append(buffer, static_cast<std::size_t>(count));
  }
}

Result<void> write_file_atomically(const std::filesystem::path& path, std::string_view bytes) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    return fail(ErrorCode::unavailable, "making folder " + shown(folder) + ": " + error.message());
  }
  std::string temporary = path.string() + ".XXXXXX";
  const FileDescriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (file.get() < 0) return system_failure("writing", path);
  // Says that somebody writes it (see `remove_temporary_files`). Where locks are not to be had, nothing is
  // removed.
  ::flock(file.get(), LOCK_EX | LOCK_NB);
  const auto give_up = [&]() {
    auto failure = system_failure("writing", path);
    ::unlink(temporary.c_str());
    return failure;
  };
  while (!bytes.empty()) {
    const ssize_t count = ::write(file.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return give_up();
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  if (::fsync(file.get()) != 0) return give_up();
  if (::rename(temporary.c_str(), path.c_str()) != 0) return give_up();
  return sync_folder(folder);
}

}  // namespace fairway
