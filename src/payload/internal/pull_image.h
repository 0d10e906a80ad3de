// Pulls the manifests of one release image from a registry.
#pragma once

#include "oci/registry.h"
#include "payload/internal/release_cache.h"

namespace fairway::payload {

/// Reads image (or of an index: the image that speaks for all), config and all layers, from the bottom to the
/// top, each checked against its digest. `reference` has a digest. Errors: those of `oci::Registry`, of
/// `ManifestLayers`, and `invalid` for an image of more than 500 layers, or without any.
Result<ImageFiles> pull_image(oci::Registry& registry, const oci::Reference& reference, const Limits& limits);

}  // namespace fairway::payload
