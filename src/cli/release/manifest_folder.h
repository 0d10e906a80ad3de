// SPDX-License-Identifier: Apache-2.0

// A folder on this machine that a release is made of.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "release/contents.h"

namespace fairway::cli {

/// The files of a folder that readers of a release look at, and the names of all else in it, sorted.
struct ManifestFolder {
  release::Files files;
  std::vector<std::string> skipped;
};

/// Reads a folder: manifests, `image-references` and `release-metadata`. Errors: `not_found`, `unavailable`:
/// it, or what a link in it is to, cannot be read; `invalid`: it has no manifest; `too_large`: a file of more
/// than 8 MiB, which no reader takes.
Result<ManifestFolder> read_manifest_folder(const std::filesystem::path& folder);

}  // namespace fairway::cli
