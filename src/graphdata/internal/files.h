// SPDX-License-Identifier: Apache-2.0

// Files of a folder, of which some may be unreadable.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/limits.h"
#include "base/result.h"
#include "graphdata/load.h"

namespace fairway::graphdata {

/// Reads a folder as read_directory of graphdata/load.h does, except that a path of `dispensable` is left out
/// if it cannot be read or leads out of the folder.
Result<Files> read_directory(const std::string& directory, bool (*wanted)(std::string_view path),
                             const Limits& limits, const Clock& clock,
                             const std::set<std::string>& dispensable);

}  // namespace fairway::graphdata
