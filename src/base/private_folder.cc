// SPDX-License-Identifier: Apache-2.0

#include "base/private_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <vector>

#include "base/file_descriptor.h"
#include "base/log.h"
#include "base/text.h"

namespace fairway {

Result<void> make_private_folder(const std::filesystem::path& path) {
  const std::string doing = "making the private folder " + printable(path.string(), 200) + ": ";
  std::error_code fault;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), fault);
  if (fault) return fail(ErrorCode::unavailable, doing + fault.message());
  if (::mkdir(path.c_str(), S_IRWXU) != 0 && errno != EEXIST)
    return fail(ErrorCode::unavailable, doing + std::strerror(errno));
  // Inspects and changes one open folder, even if somebody replaces the name meanwhile.
  const FileDescriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat facts{};
  if (folder.get() < 0 || ::fstat(folder.get(), &facts) != 0)
    return fail(ErrorCode::unavailable, doing + std::strerror(errno));
  if (facts.st_uid != ::geteuid())
    return fail(ErrorCode::invalid, doing + "it is there, and belongs to the user " +
                                        std::to_string(facts.st_uid) +
                                        "; remove it, or choose another place");
  if ((facts.st_mode & ALLPERMS) != S_IRWXU && ::fchmod(folder.get(), S_IRWXU) != 0)
    return fail(ErrorCode::unavailable, doing + std::strerror(errno));
  // From here on nobody else can put anything into it.
  if ((facts.st_mode & (S_IWGRP | S_IWOTH)) == 0) return {};
  log::warning("others could write to a folder of ours: what was in it is removed",
               {{"folder", printable(path.string(), 200)}});
  std::vector<std::filesystem::path> entries;
  for (std::filesystem::directory_iterator entry(path, fault), end; !fault && entry != end;
       entry.increment(fault)) {
    entries.push_back(entry->path());
  }
  for (const auto& entry : entries) {
    if (!fault) std::filesystem::remove_all(entry, fault);
  }
  if (fault) return fail(ErrorCode::unavailable, doing + "emptying it: " + fault.message());
  return {};
}

}  // namespace fairway
