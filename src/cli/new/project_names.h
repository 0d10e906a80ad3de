// SPDX-License-Identifier: Apache-2.0

// The names in a new operator's project.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "base/result.h"

namespace fairway::cli {

/// The names that a user gives.
struct ProjectRequest {
  std::string name, group, kind;
  /// The versions of the kind, the oldest first.
  std::vector<std::string> versions;
  /// The plural of the kind; empty: that of `plural_of`.
  std::string plural;
};

/// The names of a project: checked, and with those that follow from them.
struct ProjectNames {
  std::string name, group, kind, plural, singular;
  std::vector<std::string> versions;
  /// The project's namespace in C++: its name with underscores, which ends in `_operator`, so that no keyword
  /// and no function of a library is in its way.
  std::string cpp_namespace;
  /// The class of the kind in C++: its name; one of capitals alone, as macros have them, keeps only the first
  /// (`DNS` is `Dns`), and `Checked` is `CheckedObject`, because it is the base of all views.
  std::string cpp_class;
};

/// Checks all names. Errors: `invalid`, one for each fault, with a name that would do where one is near.
std::expected<ProjectNames, std::vector<Error>> check_names(const ProjectRequest& request);

}  // namespace fairway::cli
