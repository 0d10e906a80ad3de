// SPDX-License-Identifier: Apache-2.0

// The objects in a backup of a server, as they are stored.
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "base/result.h"

namespace fairway::apiserver {

/// Calls `each` with the path ("NAMESPACE/NAME", or "NAME") and the JSON of each object of a resource in a
/// backup (`backup`), in the order of namespace and name. Objects are in the version in which they are
/// stored; nothing is converted, and the file is not changed. `resource` is "configmaps" for the core group,
/// otherwise "GROUP/PLURAL".
///
/// The error of `each` ends the reading and is returned. Other errors: `not_found` if there is no such file;
/// `invalid` if it is no database of a server, is damaged, or is the database of a server itself and no
/// backup; `unsupported` if a newer release has made it.
Result<void> read_backup(
    const std::filesystem::path& backup, std::string_view resource,
    const std::function<Result<void>(std::string_view path, std::string_view json)>& each);

}  // namespace fairway::apiserver
