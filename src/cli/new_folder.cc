// SPDX-License-Identifier: Apache-2.0

#include "cli/new_folder.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace fairway::cli {

namespace {

namespace fs = std::filesystem;

/// Files and folders that were made; they are removed again unless `keep` is called.
class MadePaths {
 public:
  MadePaths() = default;
  MadePaths(const MadePaths&) = delete;
  MadePaths& operator=(const MadePaths&) = delete;
  ~MadePaths() {
    std::error_code ignored;
    for (const fs::path& path : paths_) fs::remove(path, ignored);
  }

  /// Makes a folder, with those around it that are missing.
  std::error_code make_folder(const fs::path& folder) {
    std::error_code error;
    if (folder.empty() || fs::is_directory(folder, error)) return {};
    if (error = make_folder(folder.parent_path()); error) return error;
    if (fs::create_directory(folder, error)) paths_.insert(paths_.begin(), folder);
    return error;
  }
  std::error_code write_file(const fs::path& file, const std::string& text) {
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    if (out) paths_.insert(paths_.begin(), file);
    out << text;
    out.close();
    return out ? std::error_code() : std::error_code(errno, std::generic_category());
  }
  void keep() { paths_.clear(); }

 private:
  std::vector<fs::path> paths_;  ///< the last one first
};

/// Checks that the nearest entry above a missing folder is a folder.
Result<void> check_folder_above(const fs::path& folder, const std::string& doing) {
  std::error_code ignored;
  fs::path above = fs::absolute(folder, ignored);
  while (above.has_relative_path() && !fs::exists(above, ignored)) above = above.parent_path();
  if (fs::is_directory(above, ignored)) return {};
  return fail(ErrorCode::invalid, doing + ": " + above.string() + " is no folder; give another one by --dir");
}

}  // namespace

Result<void> check_new_folder(const fs::path& folder, std::string_view what) {
  const std::string doing = "making a " + std::string(what) + " in " + folder.string();
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (status.type() == fs::file_type::not_found) return check_folder_above(folder, doing);
  if (status.type() != fs::file_type::none && status.type() != fs::file_type::directory) {
    return fail(ErrorCode::invalid, doing + ": it is no folder; give another one by --dir");
  }
  fs::directory_iterator entries;
  if (!error) entries = fs::directory_iterator(folder, error);
  if (error) {
    return fail(ErrorCode::unavailable,
                doing + ": " + error.message() + "; give a folder that you may write to by --dir");
  }
  // The same one every time, whatever the order on the disk. A repository that is new has nothing but .git.
  std::optional<std::string> first;
  for (const fs::directory_entry& entry : entries) {
    std::string name = entry.path().filename().string();
    if (name != ".git" && (!first || name < *first)) first = std::move(name);
  }
  if (!first) return {};
  return fail(ErrorCode::conflict, doing + ": the folder is not empty: it has " + *first +
                                       "; give a new or an empty one by --dir");
}

Result<void> write_new_folder(const fs::path& folder, std::string_view what,
                              const std::vector<NewFile>& files) {
  if (auto checked = check_new_folder(folder, what); !checked) return checked;
  MadePaths made;
  for (const NewFile& file : files) {
    const fs::path path = folder / file.path;
    std::error_code error = made.make_folder(path.parent_path());
    if (!error) error = made.write_file(path, file.text);
    if (error) {
      return fail(ErrorCode::unavailable, "writing " + path.string() + ": " + error.message() +
                                              "; nothing of the " + std::string(what) +
                                              " is left; give a folder that you may "
                                              "write to by --dir");
    }
  }
  made.keep();
  return {};
}

}  // namespace fairway::cli
