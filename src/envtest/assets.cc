// SPDX-License-Identifier: Apache-2.0

#include "envtest/assets.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "base/digest.h"
#include "base/file.h"
#include "base/file_descriptor.h"
#include "base/shell_word.h"
#include "base/text.h"

namespace fairway::envtest {
namespace {

namespace fs = std::filesystem;

constexpr mode_t executable = 0755;
constexpr mode_t writable_by_others = S_IWGRP | S_IWOTH;
/// Characters of the digest that tells the folders of two programs apart.
constexpr std::size_t digest_size = 12;

std::unexpected<Error> failed(const std::string& doing, int code) {
  return fail(ErrorCode::unavailable, doing + ": " +
                                          std::error_code(code, std::generic_category()).message() +
                                          "; name a folder that can be written with --dir");
}

std::string script(const fs::path& fairway, std::string_view program) {
  return "#!/bin/sh\n# Made by `fairway envtest`.\nexec " + shell_word(fairway.string()) + " envtest " +
         std::string(program) + " \"$@\"\n";
}

/// Makes the folder, closed to the writes of others: who may write to it decides what tests run.
Result<void> make_folder(const fs::path& folder) {
  const std::string doing = "making the folder " + folder.string();
  std::error_code error;
  if (folder.has_parent_path()) fs::create_directories(folder.parent_path(), error);
  if (error) return failed(doing, error.value());
  // The usual mask, 002, would leave it to the group.
  if (::mkdir(folder.c_str(), executable) != 0 && errno != EEXIST) return failed(doing, errno);
  struct stat found{};
  if (::stat(folder.c_str(), &found) != 0) return failed(doing, errno);
  if (!S_ISDIR(found.st_mode)) return failed(doing, ENOTDIR);
  if (found.st_uid != ::geteuid()) {
    return fail(ErrorCode::invalid, doing + ": it belongs to the user " + std::to_string(found.st_uid) +
                                        ", who could replace the programs; name another folder with --dir");
  }
  if ((found.st_mode & writable_by_others) != 0) {
    // A folder like /tmp is for all, and stays so.
    const bool is_shared = (found.st_mode & S_ISVTX) != 0;
    const std::string way =
        is_shared ? "name a folder in it"
                  : "run `chmod go-w " + shell_word(folder.string()) + "`, or name another folder";
    return fail(ErrorCode::invalid,
                doing + ": others may write to it, and could replace the programs; " + way + " with --dir");
  }
  return {};
}

bool is_right(const fs::path& file, const std::string& text) {
  struct stat found{};
  if (::stat(file.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return false;
  if ((found.st_mode & executable) != executable || (found.st_mode & writable_by_others) != 0) return false;
  if (found.st_uid != ::geteuid()) return false;
  const auto there = read_file(file);
  return there && *there == text;
}

Result<void> write_script(const fs::path& file, const std::string& text) {
  if (is_right(file, text)) return {};
  const std::string doing = "writing " + file.string();
  std::string name = file.string() + ".XXXXXX";
  {
    const FileDescriptor made(::mkstemp(name.data()));
    if (!made) return failed(doing, errno);
    const bool is_written =
        ::write(made.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
        ::fchmod(made.get(), executable) == 0;
    if (!is_written) {
      const int code = errno;
      ::unlink(name.c_str());
      return failed(doing, code);
    }
  }
  // Closed first: a file that is open for writing cannot be run.
  if (::rename(name.c_str(), file.c_str()) != 0) {
    const int code = errno;
    ::unlink(name.c_str());
    return failed(doing, code);
  }
  return {};
}

/// Returns the first kubectl of a search path, outside of `folder`; empty if there is none.
fs::path find_kubectl(const std::string& search_path, const fs::path& folder) {
  for (const std::string_view place : split(search_path, ':')) {
    const fs::path candidate = fs::path(place) / "kubectl";
    std::error_code error;
    if (!candidate.is_absolute() || fs::equivalent(place, folder, error)) continue;
    if (fs::is_regular_file(candidate, error) && ::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

Result<void> link_kubectl(const fs::path& link, const fs::path& target) {
  std::error_code error;
  if (fs::read_symlink(link, error) == target) return {};
  const std::string doing = "linking " + link.string();
  // In a folder of its own, as mkstemp makes no links.
  std::string place = link.string() + ".XXXXXX";
  if (::mkdtemp(place.data()) == nullptr) return failed(doing, errno);
  const fs::path made = fs::path(place) / "kubectl";
  int code = 0;
  if (::symlink(target.c_str(), made.c_str()) != 0 || ::rename(made.c_str(), link.c_str()) != 0) code = errno;
  fs::remove_all(place, error);
  return code == 0 ? Result<void>() : failed(doing, code);
}

}  // namespace

Result<void> make_assets(const fs::path& folder, const fs::path& fairway, const std::string& search_path) {
  if (auto made = make_folder(folder); !made) return made;
  for (const char* const program : {"kube-apiserver", "etcd"}) {
    if (auto written = write_script(folder / program, script(fairway, program)); !written) return written;
  }
  const fs::path kubectl = find_kubectl(search_path, folder);
  return kubectl.empty() ? Result<void>() : link_kubectl(folder / "kubectl", kubectl);
}

Result<fs::path> usual_assets_folder(const fs::path& fairway) {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  fs::path root;
  if (cache != nullptr && fs::path(cache).is_absolute()) {
    root = cache;
  } else if (home != nullptr && fs::path(home).is_absolute()) {
    root = fs::path(home) / ".cache";
  } else {
    return fail(
        ErrorCode::invalid,
        "finding a folder for the programs: neither XDG_CACHE_HOME nor HOME is an absolute path; name a "
        "folder with --dir");
  }
  return root / "fairway" / "envtest" / sha256_hex(fairway.string()).substr(0, digest_size);
}

}  // namespace fairway::envtest
