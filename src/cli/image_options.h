// SPDX-License-Identifier: Apache-2.0

// The flags for images in registries, shared by all commands that read them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "release/access.h"

namespace fairway::cli {

/// Adds --ca-file, --auth-file, --registry-plain-http, --registry-token-host, --public-keys and
/// --signature-store, in a group of the help. `about_keys` is the help of --public-keys: commands differ in
/// how they treat an image that none of the keys has signed.
void add_image_options(CLI::App& command, release::Access& access, const std::string& group,
                       const std::string& about_keys);

/// Adds --image-mirror (repeatable), whose values `payload::ImageMirror` reads.
void add_image_mirror_option(CLI::App& command, std::vector<std::string>& mirrors, const std::string& group);

}  // namespace fairway::cli
