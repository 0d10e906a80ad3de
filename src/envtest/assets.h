// SPDX-License-Identifier: Apache-2.0

// The folder of programs that tests start: KUBEBUILDER_ASSETS.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace fairway::envtest {

/// Makes `kube-apiserver` and `etcd` in a folder: scripts that run `fairway`, whose absolute path is given.
/// `kubectl` is a link to the first one in `search_path` (as in PATH), if there is one. What is right already
/// is left alone, and the rest is replaced at once, so that many may do this while others run the programs.
/// Errors: the folder cannot be made or written; it is another user's, or others may write to it.
Result<void> make_assets(const std::filesystem::path& folder, const std::filesystem::path& fairway,
                         const std::string& search_path);

/// Returns the user's own folder for the programs of this `fairway`, below $XDG_CACHE_HOME or ~/.cache.
/// Errors: `invalid` if neither variable is an absolute path.
Result<std::filesystem::path> usual_assets_folder(const std::filesystem::path& fairway);

}  // namespace fairway::envtest
