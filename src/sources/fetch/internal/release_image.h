// One image of a registry, read into what the update graph needs of it.
#pragma once

#include <string>

#include "oci/registry.h"
#include "sources/fetch/internal/release_cache.h"

namespace fairway::sources {

/// Fetches the image of `reference` (by digest): manifest, config for the architecture ("multi" for an index
/// of several), layers from the top down until one has the release metadata, each checked against its digest.
///
/// An image that is no release, or a broken one, is a value too, with its `fault`; where the registry lacks
/// or mangles a part of it, `retry_at` (an hour from `now`) is set. An Error is a fault of the moment that
/// says nothing about the image.
Result<CachedImage> fetch_release_image(oci::Registry& registry, const oci::Reference& reference,
                                        const Limits& limits, WallTime now);

}  // namespace fairway::sources
