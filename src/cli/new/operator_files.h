// SPDX-License-Identifier: Apache-2.0

// The files of a new operator's project.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/new/project_names.h"
#include "cli/new_folder.h"

namespace fairway::cli {

/// A file to write: its path within the project, and its text.
using ProjectFile = NewFile;

/// Returns all files of an operator's project, sorted by path. Errors: `internal`, a fault of a template.
Result<std::vector<ProjectFile>> operator_files(const ProjectNames& names);

}  // namespace fairway::cli
