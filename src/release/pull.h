// SPDX-License-Identifier: Apache-2.0

// Release images out of a registry.
#pragma once

#include "base/limits.h"
#include "base/result.h"
#include "oci/registry.h"
#include "release/contents.h"

namespace fairway::release {

/// Reads an image, or the image that represents an index: its manifest, its architecture, and its layers from
/// the top to the bottom, each checked against its digest, as far as `part` needs them. An image that is no
/// release has no metadata among its files. Errors: those of `oci::read_image`, `oci::read_architecture` and
/// `oci::Registry::stream_blob`; `invalid` and `too_large` for layers that cannot be read.
Result<Contents> pull(oci::Registry& registry, const oci::Reference& reference, Part part,
                      const Limits& limits);

}  // namespace fairway::release
