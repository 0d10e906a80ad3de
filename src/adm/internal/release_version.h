// SPDX-License-Identifier: Apache-2.0

// Versions of releases: in the order that they are shown in, and what is wrong with one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/semver.h"

namespace fairway::adm {

/// Returns whether a version is shown before another: the higher SemVer first, then invalid versions in
/// decreasing byte order.
bool is_shown_before(std::string_view a, std::string_view b);

/// Parses a version given by a user. An Error (`invalid`) has the same text as in `oc`: "No Major.Minor.Patch
/// elements found".
Result<Version> read_version(std::string_view text);

}  // namespace fairway::adm
