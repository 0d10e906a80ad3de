// SPDX-License-Identifier: Apache-2.0

// The image that a reference leads to: through indexes, down to the layers.
#pragma once

#include <cstddef>
#include <string>

#include "base/limits.h"
#include "base/result.h"
#include "oci/registry.h"

namespace fairway::oci {

/// Most layers of an image; one with more is refused. Nothing that Fairway reads has so many, and each is a
/// request.
inline constexpr std::size_t max_layers = 500;

/// An image of one platform, as a registry describes it.
struct Image {
  Reference reference;  ///< reference by the digest of the image's own manifest
  Manifest manifest;    ///< never an index
  /// True if the index that lists the image also lists images of other architectures.
  bool is_multi = false;
};

/// Reads the manifest of a reference. If that is an index, reads the manifest of the image that represents it
/// (`representative`). Errors: those of `Registry::manifest`; `invalid` for an index that lists no image, and
/// for an image of more than `max_layers` layers, or without any; `unsupported` for an index in an index.
Result<Image> read_image(Registry& registry, const Reference& reference, const Limits& limits);

/// Returns "multi" for an image of several architectures, and otherwise the architecture in the image's
/// config: "amd64". Errors: those of `Registry::blob` and `parse_config`.
Result<std::string> read_architecture(Registry& registry, const Image& image, const Limits& limits);

}  // namespace fairway::oci
