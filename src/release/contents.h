// SPDX-License-Identifier: Apache-2.0

// The contents of a release image: the files of its folder release-manifests.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace fairway::release {

/// The folder of an image that makes it a release.
inline constexpr std::string_view folder = "release-manifests";
/// Files of the folder that are not manifests: the release's metadata, and the list of its images.
inline constexpr std::string_view metadata_file = "release-metadata";
inline constexpr std::string_view image_references_file = "image-references";

/// Returns true if a file of the folder holds manifests, by its name: ".yaml", ".yml" or ".json".
bool is_manifest_file(std::string_view name);

/// Files by their name within the folder.
using Files = std::map<std::string, std::string>;

/// The part of a release to read.
enum class Part {
  metadata,  ///< the metadata alone: the first layer from the top that has it ends the download
  all,
};

/// The part of a release image that was read.
struct Contents {
  std::string arch;  ///< "amd64"; "multi" for an index of several architectures
  Files files;
};

}  // namespace fairway::release
