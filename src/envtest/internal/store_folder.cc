// SPDX-License-Identifier: Apache-2.0

#include "envtest/internal/store_folder.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>

#include "base/digest.h"
#include "base/file.h"
#include "base/file_descriptor.h"
#include "base/text.h"

namespace fairway::envtest {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view folder_name = ".fairway-store";
constexpr std::string_view mark_name = "mark";
/// Characters of a mark.
constexpr std::size_t mark_size = 64;
constexpr mode_t access_of_others = S_IRWXG | S_IRWXO;
constexpr mode_t write_of_others = S_IWGRP | S_IWOTH;

std::unexpected<Error> refused(const fs::path& folder, ErrorCode code, const std::string& why) {
  return fail(code, "the folder " + printable(folder.string(), 4096) + ": " + why);
}

std::unexpected<Error> failed(const fs::path& folder, int code) {
  return refused(folder, ErrorCode::unavailable, std::error_code(code, std::generic_category()).message());
}

/// A folder of this user.
struct Opened {
  FileDescriptor folder;
  mode_t mode = 0;
};

Result<Opened> open_own(const fs::path& path) {
  Opened opened{.folder =
                    FileDescriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC))};
  struct stat facts{};
  if (!opened.folder || ::fstat(opened.folder.get(), &facts) != 0) return failed(path, errno);
  if (facts.st_uid != ::geteuid()) {
    return refused(path, ErrorCode::forbidden,
                   "it belongs to the user " + std::to_string(facts.st_uid) +
                       "; run etcd and kube-apiserver as one user, with a --data-dir of that user");
  }
  opened.mode = facts.st_mode & ALLPERMS;
  return opened;
}

Result<std::string> read_mark(const fs::path& folder) {
  auto mark = read_file(folder / mark_name, mark_size);
  if (!mark) return mark;
  if (mark->size() == mark_size) return mark;
  return refused(folder, ErrorCode::invalid, "its mark is cut off; remove the folder");
}

/// Closes a folder of this user for others.
Result<void> close_for_others(const fs::path& path, const Opened& opened) {
  if ((opened.mode & write_of_others) == 0) {
    if (opened.mode == S_IRWXU || ::fchmod(opened.folder.get(), S_IRWXU) == 0) return {};
    return failed(path, errno);
  }
  // An empty one is made anew, which fails if others put something into it meanwhile.
  if (::rmdir(path.c_str()) == 0) {
    if (::mkdir(path.c_str(), S_IRWXU) == 0) return {};
    return failed(path, errno);
  }
  if (errno != ENOTEMPTY && errno != EEXIST) return failed(path, errno);
  return refused(path, ErrorCode::invalid,
                 "others may write to it, and what is in it may be theirs; remove it, or take another "
                 "--data-dir");
}

}  // namespace

Result<std::string> make_secret() {
  std::array<char, 32> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return fail(ErrorCode::internal, "making a secret: the system gives no random bytes");
  }
  return sha256_hex(std::string_view(bytes.data(), bytes.size()));
}

Result<StoreFolder> make_store_folder(const fs::path& data) {
  std::error_code error;
  fs::create_directories(data, error);
  if (error) return failed(data, error.value());
  StoreFolder made{.path = data / folder_name};
  if (::mkdir(made.path.c_str(), S_IRWXU) != 0 && errno != EEXIST) return failed(made.path, errno);
  const auto opened = open_own(made.path);
  if (!opened) return fail(opened.error());
  if (auto closed = close_for_others(made.path, *opened); !closed) return fail(closed.error());
  // A mark that is there stays: another etcd of this folder may have told a kube-apiserver.
  if (!fs::exists(made.path / mark_name, error)) {
    const auto secret = make_secret();
    if (!secret) return fail(secret.error());
    if (auto written = write_file_atomically(made.path / mark_name, *secret); !written) {
      return fail(written.error());
    }
  }
  auto mark = read_mark(made.path);
  if (!mark) return fail(mark.error());
  made.mark = *std::move(mark);
  return made;
}

Result<StoreFolder> open_store_folder(const fs::path& path) {
  if (!path.is_absolute()) return refused(path, ErrorCode::invalid, "its path is not absolute");
  const auto opened = open_own(path);
  if (!opened) return fail(opened.error());
  if ((opened->mode & access_of_others) != 0) {
    return refused(path, ErrorCode::forbidden, "others may enter it; an etcd of ours makes it with 0700");
  }
  auto mark = read_mark(path);
  if (!mark) return fail(mark.error());
  return StoreFolder{.path = path, .mark = *std::move(mark)};
}

std::string answer_to(const std::string& challenge, const StoreFolder& folder) {
  return hmac_sha256_hex(folder.mark, challenge);
}

}  // namespace fairway::envtest
