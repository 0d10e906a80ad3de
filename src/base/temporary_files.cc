// SPDX-License-Identifier: Apache-2.0

#include "base/temporary_files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <system_error>

#include "base/file_descriptor.h"

namespace fairway {

namespace {

/// Returns whether the text is a suffix of mkstemp: six letters and digits.
bool is_random_end(std::string_view text) {
  return text.size() == 6 && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
         });
}

/// Returns whether no process writes the file any more: a writer holds its lock until it has its final name.
bool is_left_behind(const std::filesystem::path& file) {
  const FileDescriptor open(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  return open && ::flock(open.get(), LOCK_EX | LOCK_NB) == 0;
}

}  // namespace

void remove_temporary_files(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const std::string begin = path.filename().string() + ".";
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    std::error_code ignored;
    if (!name.starts_with(begin) || !is_random_end(std::string_view(name).substr(begin.size()))) continue;
    if (!entry->is_regular_file(ignored) || !is_left_behind(entry->path())) continue;
    std::filesystem::remove(entry->path(), ignored);
  }
}

}  // namespace fairway
