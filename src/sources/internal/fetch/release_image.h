// SPDX-License-Identifier: Apache-2.0

// One image of a registry, read into what the update graph needs of it.
#pragma once

#include "base/clock.h"
#include "base/limits.h"
#include "base/result.h"
#include "oci/registry.h"
#include "release/cache.h"

namespace fairway::sources {

/// Pulls the metadata of the image of `reference` (by digest).
///
/// An image that is no release, or a broken one, is a value too, with its `fault`; if the registry lacks or
/// corrupts a part of it, `retry_at` (an hour from `now`) is set. An Error is transient and says nothing
/// about the image.
Result<release::CachedImage> fetch_release_image(oci::Registry& registry, const oci::Reference& reference,
                                                 const Limits& limits, WallTime now);

}  // namespace fairway::sources
