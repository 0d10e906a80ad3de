// SPDX-License-Identifier: Apache-2.0

// Writes the files of a new project into a folder.
#pragma once

#include <filesystem>
#include <vector>

#include "base/result.h"
#include "cli/new/operator_files.h"

namespace fairway::cli {

/// Checks that a project can be written to a folder: it does not exist, or it is empty. Errors: `conflict`,
/// with the name of an entry that it has; `invalid`: it is no folder; `unavailable`: it cannot be read.
Result<void> check_project_folder(const std::filesystem::path& folder);

/// Writes all files, and the folders that are missing. After an error the files and folders that it has made
/// are removed. Errors: those of `check_project_folder`; `unavailable` for a file that cannot be written.
Result<void> write_project(const std::filesystem::path& folder, const std::vector<ProjectFile>& files);

}  // namespace fairway::cli
