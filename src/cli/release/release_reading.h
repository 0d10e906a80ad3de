// SPDX-License-Identifier: Apache-2.0

// The flags of `fairway release ...` that say where images are, and what a cluster is like.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "payload/release_image.h"
#include "payload/selection.h"
#include "sources/source.h"

namespace fairway::cli {

struct ReleaseReading {
  sources::Options sources;
  std::vector<std::string> mirrors;
};

/// Adds the flags of registries, signatures and mirrors, and --data.
void add_release_reading_options(CLI::App& command, ReleaseReading& reading);
/// Adds --profile and --feature-set.
void add_selection_options(CLI::App& command, payload::Selection& selection);

/// Pulls images by their pull specs, one after the other; by tag only if no signatures are wanted. Errors:
/// those of `payload::ReleaseReader`, invalid flags.
Result<std::vector<payload::ReleaseImage>> read_releases(const ReleaseReading& reading,
                                                         const std::vector<std::string>& images);

}  // namespace fairway::cli
