// SPDX-License-Identifier: Apache-2.0

// The images that versions were served with: a version's image does not change by itself.
#pragma once

#include <cstddef>
#include <vector>

#include "graph/snapshot.h"
#include "updateservice/builder.h"
#include "updateservice/guards.h"

namespace fairway::updateservice {

/// Most images that are remembered, far more than any fleet has releases. Beyond it new versions are not
/// remembered: forgetting old ones would let a source that offers many replace their images.
inline constexpr std::size_t max_payloads = 100'000;

/// Replaces images in inputs by those that are known from before: of several images for one version the known
/// one counts; if it is not offered any more, the release comes from the inputs `before` (null: there were
/// none) or is left out. A known image of the form "@DIGEST" is one that another replica serves: only a
/// source can offer it. An image that `accepted` names replaces the known one. Nodes of upstreams get the
/// known image. Each conflict adds a problem (payload_conflict). Releases of the wrong image are removed from
/// `inputs`, and changed inputs get another revision than their source's.
void keep_payloads(BuiltInputs& inputs, const BuiltInputs* before, const Payloads& known,
                   const Accepted& accepted, std::vector<graph::Problem>& problems);

/// Adds the images that a snapshot serves: those of versions that some channel lists.
void remember_payloads(const graph::Snapshot& snapshot, Payloads& known);

}  // namespace fairway::updateservice
