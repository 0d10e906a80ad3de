// SPDX-License-Identifier: Apache-2.0

// A folder that nobody but this user may look into.
#pragma once

#include <filesystem>

#include "base/result.h"

namespace fairway {

/// Makes a folder with the mode 0700, and the folders above it. One that is there must be this user's own,
/// and gets that mode; if others could write to it, it is emptied, because its contents may be theirs.
/// Errors: it is no folder (a symbolic link is none), it is another user's, or it cannot be made.
Result<void> make_private_folder(const std::filesystem::path& path);

}  // namespace fairway
