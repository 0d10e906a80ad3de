// SPDX-License-Identifier: Apache-2.0

// Images that are made here, and the folder that tools push them from.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "oci/manifest.h"

namespace fairway::oci {

/// An image of one layer.
struct NewImage {
  Platform platform;
  std::string digest;                        ///< digest of the manifest, by which the image is pulled
  std::string config_digest, layer_digest;   ///< digests of blobs; the layer is a gzipped tar
  std::map<std::string, std::string> blobs;  ///< digest to bytes: manifest, config and layer
};

/// Makes an image of files, from their paths. The same files give the same bytes: nothing in it says when,
/// where or by whom it was made.
NewImage make_image(const std::map<std::string, std::string>& files, Platform platform);

/// Returns the files of an image layout (OCI image-spec, image-layout.md), by their paths. `tag` names the
/// image in it.
std::map<std::string, std::string> layout_files(const NewImage& image, std::string_view tag);

}  // namespace fairway::oci
