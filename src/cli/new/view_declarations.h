// SPDX-License-Identifier: Apache-2.0

// Lines of a view's class whose layout depends on the names in them, as clang-format lays them out.
#pragma once

#include <string>
#include <string_view>

#include "cli/new/project_names.h"

namespace fairway::cli {

/// Returns the beginning of the class of a version's view, up to its brace. Its base has the paths of the
/// definition, by the name that `fairway_crd_paths` gives the version's table.
std::string view_heading(const ProjectNames& names, std::string_view version);

/// Returns the member `resource` of the view of a version. Lines are filled up to the project's 110 columns.
std::string resource_declaration(const ProjectNames& names, std::string_view version);

}  // namespace fairway::cli
