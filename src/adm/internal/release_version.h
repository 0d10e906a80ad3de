// Versions of releases: in the order that they are shown in, and what is wrong with one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/semver.h"

namespace fairway::adm {

/// Returns whether a version is shown before another: the higher SemVer first, then what is no version, in
/// decreasing byte order.
bool is_shown_before(std::string_view a, std::string_view b);

/// Reads a version that a user gave. An Error (`invalid`) has the text of the client that users know: "No
/// Major.Minor.Patch elements found".
Result<Version> read_version(std::string_view text);

}  // namespace fairway::adm
