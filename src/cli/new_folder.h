// SPDX-License-Identifier: Apache-2.0

// Writes the files of something new, such as a project, into a folder of its own.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace fairway::cli {

/// A file, by its path within the folder.
struct NewFile {
  std::string path, text;
};

/// Checks that something can be written to a folder: it does not exist, or it is empty. `what` names it in
/// errors: "project". The user gives the folder by --dir. Errors: `conflict`, with the name of an entry that
/// it has; `invalid`: it is no folder; `unavailable`: it cannot be read.
Result<void> check_new_folder(const std::filesystem::path& folder, std::string_view what);

/// Writes all files, and the folders that are missing. After an error the files and folders that it has made
/// are removed. Errors: those of `check_new_folder`; `unavailable` for a file that cannot be written.
Result<void> write_new_folder(const std::filesystem::path& folder, std::string_view what,
                              const std::vector<NewFile>& files);

}  // namespace fairway::cli
